#include "perf_stream_writer.hpp"

#include <cstring>
#include <linux/perf_event.h>

namespace snapscope::test {
namespace {

constexpr std::uint32_t header_attr = 64, finished_round = 68, auxtrace = 71;
constexpr std::uint64_t weight_struct = 1ULL << 24U;
constexpr std::uint64_t sample_fields = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                                        PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | weight_struct | PERF_SAMPLE_DATA_SRC;
constexpr std::uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;

template <typename T> void put(std::string& to, T value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string attributes(const WrittenEvent& event) {
    perf_event_attr attr{};
    attr.type = PERF_TYPE_SOFTWARE; // no processor's event is needed to read it
    attr.size = sizeof attr;
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
    attr.sample_freq = event.period_or_frequency;
    attr.sample_type = sample_fields;
    attr.sample_type |= event.frequency ? std::uint64_t{PERF_SAMPLE_PERIOD} : 0;
    attr.sample_type |= event.running_time ? std::uint64_t{PERF_SAMPLE_READ} : 0;
    attr.read_format = event.running_time ? times : 0;
    attr.freq = event.frequency ? 1U : 0U;
    attr.sample_id_all = 1;
    attr.use_clockid = event.monotonic ? 1U : 0U;
    attr.clockid = event.monotonic ? 1 : 0;
    std::string out;
    out.append(reinterpret_cast<const char*>(&attr), sizeof attr);
    return out;
}

// Behind records that are no samples, when sample_id_all is set.
void put_identity(std::string& body, std::uint32_t pid, std::uint64_t time_ns) {
    put(body, pid);
    put(body, pid);
    put(body, time_ns);
    put(body, std::uint64_t{0}); // cpu
    put(body, std::uint64_t{1}); // id
}

} // namespace

PerfStreamWriter::PerfStreamWriter(std::vector<WrittenEvent> events)
    : events_(std::move(events)), counts_(events_.size()) {
    bytes_ = "PERFILE2";
    put(bytes_, std::uint64_t{16});
    for (std::size_t i = 0; i < events_.size(); ++i) {
        std::string body = attributes(events_[i]);
        put(body, std::uint64_t{i + 1});
        record(header_attr, body);
    }
}

void PerfStreamWriter::record(std::uint32_t type, std::string_view body) {
    put(bytes_, type);
    put(bytes_, std::uint16_t{PERF_RECORD_MISC_USER});
    put(bytes_, static_cast<std::uint16_t>(8 + body.size()));
    bytes_ += body;
}

void PerfStreamWriter::sample(const PerfSample& sample) {
    const WrittenEvent& event = events_.at(sample.event);
    std::string body;
    put(body, std::uint64_t{sample.event} + 1);
    put(body, sample.ip);
    put(body, sample.pid);
    put(body, sample.tid);
    put(body, sample.time_ns);
    put(body, sample.address);
    put(body, sample.cpu.value_or(0));
    put(body, std::uint32_t{0});
    if (event.frequency)
        put(body, sample.period);
    if (event.running_time) {
        const RunningTime time = sample.running.value_or(RunningTime{1000, 1000});
        counts_[sample.event] += sample.period;
        put(body, counts_[sample.event]); // perf script takes the difference for the period
        put(body, time.enabled_ns);
        put(body, time.running_ns);
        put(body, std::uint64_t{sample.event} + 1);
    }
    put(body, sample.weight);
    put(body, sample.data_src.value_or(0));
    record(PERF_RECORD_SAMPLE, body);
}

void PerfStreamWriter::forked(std::uint32_t pid, std::uint32_t parent) {
    std::string body;
    for (const std::uint32_t word : {pid, parent, pid, parent})
        put(body, word);
    put(body, std::uint64_t{0}); // time
    put_identity(body, pid, 0);
    record(PERF_RECORD_FORK, body);
}

void PerfStreamWriter::ended(std::uint32_t pid, std::uint64_t time_ns) {
    std::string body;
    for (const std::uint32_t word : {pid, pid, pid, pid})
        put(body, word);
    put(body, time_ns);
    put_identity(body, pid, time_ns);
    record(PERF_RECORD_EXIT, body);
}

void PerfStreamWriter::lost(std::uint64_t samples) {
    std::string body;
    put(body, std::uint64_t{1});
    put(body, samples);
    put_identity(body, 0, 0);
    record(PERF_RECORD_LOST, body);
}

void PerfStreamWriter::round() {
    record(finished_round, "");
}

void PerfStreamWriter::trace(std::uint32_t cpu, std::string_view bytes) {
    std::string body;
    put(body, std::uint64_t{bytes.size()});
    put(body, std::uint64_t{0});
    put(body, std::uint64_t{0});
    for (const std::uint32_t word : {0U, 0U, cpu, 0U})
        put(body, word);
    record(auxtrace, body);
    bytes_ += bytes;
}

std::string PerfStreamWriter::take() {
    return std::exchange(bytes_, {});
}

} // namespace snapscope::test
