#include "stock_probes.hpp"

#include <snapscope/collector/source.hpp>

#include <cerrno>

// The skeleton is C and says _Bool.
#define _Bool bool // NOLINT(bugprone-reserved-identifier)

#include "stock_bpf.skel.h"

namespace snapscope {
namespace {

constexpr std::uint32_t event_ring_bytes = 8U << 20U;
constexpr std::uint32_t no_ring_bytes = 4096;

struct WaitProbe {
    const char* name;
    std::uint64_t cookie; // as on_wait() takes it
};
constexpr WaitProbe wait_probes[] = {{"lwlock__wait__done", 1}, {"lwlock__wait__start", 0}};

std::size_t round_to_page(std::size_t bytes) {
    constexpr std::size_t page = 4096;
    return (bytes + page - 1) / page * page;
}

} // namespace

void StockProbes::Destroy::operator()(stock_bpf* skeleton) const {
    stock_bpf__destroy(skeleton);
}

StockProbes::~StockProbes() = default;

Result<std::unique_ptr<StockProbes>> StockProbes::load(const StockProbeOptions& options) {
    silence_libbpf();
    std::unique_ptr<StockProbes> probes(new StockProbes);
    probes->skeleton_.reset(stock_bpf__open());
    if (!probes->skeleton_)
        return fail(bpf_error("cannot open the BPF program", errno));
    auto& knobs = *probes->skeleton_->rodata;
    knobs.target_postmaster = static_cast<unsigned int>(options.postmaster);
    knobs.everyone = options.postmaster == 0 ? 1 : 0;
    knobs.want_events = options.events ? 1 : 0;
    knobs.row_count = options.rows;
    knobs.cpu_count = static_cast<unsigned int>(std::max(libbpf_num_possible_cpus(), 1));
    if (options.number) {
        knobs.number_address = options.number->address;
        knobs.my_proc_address = options.number->pointer;
        knobs.number_offset = options.number->offset;
    }
    knobs.fields_known = options.fields_known ? 1 : 0;
    knobs.count_offset = options.completion_count.value_or(0);
    bpf_map__set_max_entries(probes->skeleton_->maps.rows, options.rows);
    bpf_map__set_max_entries(probes->skeleton_->maps.events, options.events ? event_ring_bytes : no_ring_bytes);
    if (const int error = stock_bpf__load(probes->skeleton_.get()); error != 0)
        return fail(bpf_error("cannot load the BPF program", error));
    auto rows =
        Mapping::shared(bpf_map__fd(probes->skeleton_->maps.rows), 0,
                        round_to_page(options.rows * sizeof(snapscope_stock_row)), false, "the BPF program's rows");
    if (!rows)
        return fail(Error{ErrorClass::unavailable, rows.error().what, rows.error().hint});
    probes->rows_ = std::move(*rows);
    probes->row_count_ = options.rows;
    return probes;
}

Status StockProbes::attach(const std::string& file, const ProbedFunction& function, pid_t pid) {
    const auto& programs = skeleton_->progs;
    bpf_program* program = nullptr;
    const char* what = "";
    switch (function.probe) {
    case SNAPSCOPE_STOCK_SNAPSHOT:
        program = programs.on_snapshot;
        what = "GetSnapshotData";
        break;
    case SNAPSCOPE_STOCK_RETURN:
        program = programs.on_return;
        what = "the return of GetSnapshotData";
        break;
    case SNAPSCOPE_STOCK_XACT_END:
        program = programs.on_xact_end;
        what = "ProcArrayEndTransaction";
        break;
    case SNAPSCOPE_STOCK_NEW_XID:
        program = programs.on_new_xid;
        what = "GetNewTransactionId";
        break;
    default:
        return fail("no such probe");
    }
    const bool is_return = function.probe == SNAPSCOPE_STOCK_RETURN;
    const auto set = [&] {
        return bpf_program__attach_uprobe(program, is_return, pid, file.c_str(), function.file_offset);
    };
    return pid == 0 ? links_.add_own(what, set) : links_.add(what, set);
}

Status StockProbes::attach_waits(const std::string& file) {
    for (const auto& probe : wait_probes) {
        LIBBPF_OPTS(bpf_usdt_opts, how, .usdt_cookie = probe.cookie);
        SNAPSCOPE_TRY(links_.add(probe.name, [&] {
            return bpf_program__attach_usdt(skeleton_->progs.on_wait, -1, file.c_str(), "postgresql", probe.name, &how);
        }));
    }
    return {};
}

Status StockProbes::attach_estimate(const std::string& file, const ProbedFunction& function) {
    LIBBPF_OPTS(bpf_uprobe_opts, how, .bpf_cookie = static_cast<std::uint64_t>(function.probe));
    return links_.add("a function", [&] {
        return bpf_program__attach_uprobe_opts(skeleton_->progs.on_estimate, -1, file.c_str(), function.file_offset,
                                               &how);
    });
}

void StockProbes::detach() {
    links_.clear();
}

void StockProbes::set_counting(bool on) {
    const auto since = on ? static_cast<unsigned long long>(monotonic_ns()) : 0ULL;
    __atomic_store_n(&skeleton_->bss->counting_since, since, __ATOMIC_RELEASE);
}

std::span<const snapscope_stock_row> StockProbes::rows() const {
    // The kernel's own type, at a page's start.
    return {reinterpret_cast<const snapscope_stock_row*>(rows_.data()), row_count_};
}

StockHits StockProbes::hits() const {
    StockHits sum{};
    for (const auto& cpu : read_per_cpu<StockHits>(bpf_map__fd(skeleton_->maps.hits), 0)) {
        for (std::size_t i = 0; i < SNAPSCOPE_STOCK_PROBES; ++i) {
            sum.own[i] += cpu.own[i];
            sum.others[i] += cpu.others[i];
        }
        sum.unplaced += cpu.unplaced;
        sum.reserve_failed += cpu.reserve_failed;
    }
    return sum;
}

std::array<LogHistogram, 2> StockProbes::waits() const {
    std::array<LogHistogram, 2> by_mode;
    for (unsigned int mode = 0; mode < by_mode.size(); ++mode) {
        for (const auto& cpu : read_per_cpu<snapscope_bpf_durations>(bpf_map__fd(skeleton_->maps.waits), mode)) {
            for (std::size_t bucket = 0; bucket < SNAPSCOPE_BUCKETS; ++bucket)
                by_mode[mode].add_bucket(bucket, cpu.buckets[bucket]);
            if (cpu.any != 0)
                by_mode[mode].note_extremes(cpu.min, cpu.max);
        }
    }
    return by_mode;
}

int StockProbes::event_map() const {
    return bpf_map__fd(skeleton_->maps.events);
}

std::uint32_t StockProbes::event_bytes() const {
    return event_ring_bytes;
}

} // namespace snapscope
