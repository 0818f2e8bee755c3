#include "perf_fields.hpp"

#include <linux/perf_event.h>

namespace snapscope {
namespace {

// Headers older than the kernel lack these.
constexpr std::uint64_t data_page_size = 1ULL << 22U, code_page_size = 1ULL << 23U, weight_struct = 1ULL << 24U;
constexpr std::uint64_t format_lost = 1ULL << 4U;

constexpr std::uint64_t understood =
    PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
    PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN |
    PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT | weight_struct | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |
    PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | data_page_size | code_page_size;

// One counter, or those of its group: the times stand once.
void read_counts(FieldReader& fields, std::uint64_t format, PerfSample& sample) {
    const bool group = (format & PERF_FORMAT_GROUP) != 0;
    const std::uint64_t first = fields.u64(); // how many, or the count
    RunningTime time;
    if ((format & PERF_FORMAT_TOTAL_TIME_ENABLED) != 0)
        time.enabled_ns = fields.u64();
    if ((format & PERF_FORMAT_TOTAL_TIME_RUNNING) != 0)
        time.running_ns = fields.u64();
    constexpr std::uint64_t both = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    if ((format & both) == both)
        sample.running = time;
    const std::uint64_t words = ((format & PERF_FORMAT_ID) != 0 ? 1U : 0U) + ((format & format_lost) != 0 ? 1U : 0U);
    if (!group)
        fields.skip(8 * words);
    else if (first > UINT16_MAX)
        fields.skip(UINT64_MAX); // more than a record can hold
    else
        fields.skip(8 * (1 + words) * first);
}

} // namespace

bool read_sample_fields(FieldReader& fields, const PerfEvent& kind, PerfSample& sample) {
    const std::uint64_t type = kind.sample_type;
    if ((type & ~understood) != 0)
        return false;
    const auto has = [type](std::uint64_t bit) { return (type & bit) != 0; };
    if (has(PERF_SAMPLE_IDENTIFIER))
        sample.id = fields.u64();
    if (has(PERF_SAMPLE_IP))
        sample.ip = fields.u64();
    if (has(PERF_SAMPLE_TID)) {
        sample.pid = fields.u32();
        sample.tid = fields.u32();
    }
    if (has(PERF_SAMPLE_TIME))
        sample.time_ns = fields.u64();
    if (has(PERF_SAMPLE_ADDR))
        sample.address = fields.u64();
    if (has(PERF_SAMPLE_ID))
        sample.id = fields.u64();
    if (has(PERF_SAMPLE_STREAM_ID))
        (void)fields.u64();
    if (has(PERF_SAMPLE_CPU)) {
        sample.cpu = fields.u32();
        (void)fields.u32();
    }
    if (has(PERF_SAMPLE_PERIOD))
        sample.period = fields.u64();
    if (has(PERF_SAMPLE_READ))
        read_counts(fields, kind.read_format, sample);
    if (has(PERF_SAMPLE_CALLCHAIN)) {
        const std::uint64_t frames = fields.u64();
        fields.skip(frames > UINT16_MAX ? UINT64_MAX : 8 * frames);
    }
    if (has(PERF_SAMPLE_RAW))
        fields.skip(fields.u32());
    if (has(PERF_SAMPLE_WEIGHT))
        sample.weight = fields.u64();
    if (has(weight_struct))
        sample.weight = fields.u64() & UINT32_MAX; // its lower half is the same
    if (has(PERF_SAMPLE_DATA_SRC))
        sample.data_src = fields.u64();
    for (const std::uint64_t bit : {std::uint64_t{PERF_SAMPLE_TRANSACTION}, std::uint64_t{PERF_SAMPLE_PHYS_ADDR},
                                    std::uint64_t{PERF_SAMPLE_CGROUP}, data_page_size, code_page_size})
        if (has(bit))
            (void)fields.u64();
    return true;
}

} // namespace snapscope
