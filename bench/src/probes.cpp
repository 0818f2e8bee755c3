// The cost of one event by mechanism, for the process that emits it.
//
// A child emits through the server's own writer (probes/emit.h) in a loop; this
// program plays the collector.  Mechanisms alternate within a round, so that a
// ratio compares neighbours in time.  Thread CPU time: what others take from
// this machine does not count.

#include "bpftrace.hpp"
#include "lttng.hpp"
#include "report.hpp"

#include <snapscope/collector/procfs.hpp>
#include <snapscope/lab/scratch_folder.hpp>
#include <snapscope/probes/emit.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <ebpf_source.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <ring_drain.hpp>
#include <sched.h>
#include <stock_probes.hpp>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

SNAPSCOPE_USDT_DEFINE_SEMAPHORE = 0;

// A function that begins as GetSnapshotData does, takes what it takes and returns it.
extern "C" void* bench_snapshot(void*);
#if defined(__x86_64__)
__asm__(".text\n.p2align 4\n.globl bench_snapshot\n.type bench_snapshot, @function\nbench_snapshot: push %rbp\n"
        " mov %rdi, %rax\n pop %rbp\n ret\n.size bench_snapshot, .-bench_snapshot\n");
#else
extern "C" __attribute__((noinline)) void* bench_snapshot(void* snapshot) {
    return snapshot;
}
#endif

namespace snapscope::bench {
namespace {

constexpr std::uint32_t capacity = 1U << 17U;
constexpr std::uint64_t rounds = 12;
constexpr std::uint64_t trapped_events = 50'000;
constexpr std::uint64_t lttng_events = 200'000;

// As a backend has them: its entry, which says its slot, and a snapshot to fill.
struct Entry {
    std::uint32_t slot = 0;
};
Entry entry;
Entry* my_proc = &entry;
std::array<unsigned char, 128> snapshot_data{};

// Memory that both processes see: the child's orders and its answer, and a file as of abi.h.
struct Shared {
    std::atomic<std::uint64_t> order; // events to emit
    std::atomic<bool> snapshots;      // calls of bench_snapshot() instead
    std::atomic<std::uint32_t> order_number;
    std::atomic<std::uint32_t> done_number;
    std::atomic<double> ns_per_event;
    std::atomic<std::uint64_t> lost;
};

char* map_shared(std::size_t bytes) {
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        give_up("no memory for the ring");
    return static_cast<char*>(memory);
}

char* make_file() {
    snapscope_header header{};
    header.slots = 1;
    header.ring_capacity = capacity;
    header.record_bytes = sizeof(snapscope_record);
    header.clock = SNAPSCOPE_CLOCK_TSC;
    header.max_lease_ticks = ~0ULL >> 1U;
    header.consumer_offset = SNAPSCOPE_PAGE_BYTES;
    header.tails_offset = header.consumer_offset + sizeof(snapscope_control);
    header.counters_offset = 2 * SNAPSCOPE_PAGE_BYTES;
    header.rings_offset = 3 * SNAPSCOPE_PAGE_BYTES;
    header.ring_stride = SNAPSCOPE_PAGE_BYTES + capacity * sizeof(snapscope_record);
    char* file = map_shared(header.rings_offset + header.ring_stride);
    std::memcpy(file, &header, sizeof header);
    return file;
}

snapscope_control* control_of(char* file) {
    return reinterpret_cast<snapscope_control*>(file + SNAPSCOPE_PAGE_BYTES);
}

double thread_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

void pin(std::size_t cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    (void)::sched_setaffinity(0, sizeof set, &set);
}

// One event as the server emits it: gate, stamp, lease, ring, probe.
__attribute__((noinline)) bool emit_one(snapscope_ring* ring, snapscope_control* control, std::uint64_t max_lease,
                                        std::uint32_t i) {
    if (!SNAPSCOPE_USDT_LISTENING() && __atomic_load_n(&control->enabled, __ATOMIC_RELAXED) == 0)
        return true;
    snapscope_record record{};
    record.type = SNAPSCOPE_EV_SNAPSHOT_DONE;
    record.outcome = SNAPSCOPE_OUTCOME_REUSED;
    record.ticks = snapscope_ticks(SNAPSCOPE_CLOCK_TSC, &record.cpu);
    record.a = i;
    bool stored = true;
    if (snapscope_lease_runs(control, max_lease, record.ticks) != 0)
        stored = snapscope_ring_push(ring, &record) != 0;
    if (SNAPSCOPE_USDT_LISTENING())
        snapscope_usdt_fire(0, &record);
    return stored;
}

[[noreturn]] void child(Shared* shared, char* file) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // it would wait for orders for ever
    pin(0);
    snapscope_ring ring{};
    snapscope_ring_attach(&ring, file, 0);
    const auto max_lease = reinterpret_cast<snapscope_header*>(file)->max_lease_ticks;
    std::uint32_t seen = 0;
    for (;;) {
        while (shared->order_number.load() == seen)
            ::usleep(200);
        ++seen;
        const auto events = shared->order.load();
        std::uint64_t lost = 0;
        const bool snapshots = shared->snapshots.load();
        const double start = thread_ns();
        for (std::uint64_t i = 0; i < events; ++i) {
            if (snapshots)
                (void)bench_snapshot(snapshot_data.data());
            else
                lost += emit_one(&ring, control_of(file), max_lease, static_cast<std::uint32_t>(i)) ? 0U : 1U;
        }
        shared->ns_per_event.store((thread_ns() - start) / static_cast<double>(events));
        shared->lost.store(lost);
        shared->done_number.store(seen);
    }
}

class Emitter {
  public:
    Emitter() : shared_(new (map_shared(sizeof(Shared))) Shared{}), file_(make_file()), pid_(::fork()) {
        if (pid_ < 0)
            give_up("cannot fork");
        if (pid_ == 0)
            child(shared_, file_);
        pin(1);
    }
    Emitter(const Emitter&) = delete;
    Emitter& operator=(const Emitter&) = delete;
    Emitter(Emitter&&) = delete;
    Emitter& operator=(Emitter&&) = delete;
    ~Emitter() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    [[nodiscard]] char* file() const { return file_; }
    [[nodiscard]] std::uint64_t lost() const { return shared_->lost.load(); }

    // ns an event, over `events` of them; `meanwhile` runs every millisecond.
    template <typename Meanwhile> double emit(std::uint64_t events, Meanwhile meanwhile) {
        shared_->snapshots.store(false);
        return order(events, meanwhile);
    }
    // ns a call of the function that stands for GetSnapshotData.
    double call_snapshot(std::uint64_t calls) {
        shared_->snapshots.store(true);
        return order(calls, [] {});
    }

  private:
    template <typename Meanwhile> double order(std::uint64_t events, Meanwhile meanwhile) {
        shared_->order.store(events);
        const auto number = ++shared_->order_number;
        while (shared_->done_number.load() != number) {
            meanwhile();
            ::usleep(1000);
        }
        meanwhile();
        return shared_->ns_per_event.load();
    }

    Shared* shared_;
    char* file_;
    pid_t pid_;
};

double gate_only(Emitter& emitter) {
    return emitter.emit(20'000'000, [] {});
}

double through_ring(Emitter& emitter, std::uint64_t& lost) {
    char* file = emitter.file();
    auto* header = reinterpret_cast<snapscope_header*>(file);
    auto* block = file + header->rings_offset;
    RingDrain drain(reinterpret_cast<snapscope_head*>(block),
                    reinterpret_cast<snapscope_record*>(block + sizeof(snapscope_head)),
                    reinterpret_cast<snapscope_tail*>(file + header->tails_offset), capacity);
    drain.skip_all(true);
    control_of(file)->lease_ticks = ~0ULL >> 2U;
    control_of(file)->enabled = 1;
    std::vector<snapscope_record> records;
    const double ns = emitter.emit(2'000'000, [&] {
        records.clear();
        (void)drain.drain(records);
    });
    control_of(file)->enabled = 0;
    lost += emitter.lost();
    return ns;
}

double through_ebpf(Emitter& emitter, bool events) {
    EbpfOptions options;
    options.events = events;
    options.slots = 1;
    auto source = EbpfSource::attach(ProcFs{}, ::getpid(), options);
    if (!source)
        give_up("USDT and eBPF: " + source.error().message());
    auto scratch = ScratchFolder::create();
    if (!scratch)
        give_up(scratch.error().message());
    EventTraceInfo info;
    info.run_id = std::string(32, '0');
    auto trace = EventTraceWriter::create(scratch->path() / "events", info);
    if (!trace)
        give_up(trace.error().message());
    (*source)->start(monotonic_ns());
    const double ns = emitter.emit(50'000, [&] {
        if (auto* feed = (*source)->events(); feed != nullptr)
            (void)feed->drain(*trace);
    });
    (*source)->stop();
    Run run;
    (*source)->finish(monotonic_ns(), run);
    // A probe that did not fire would look cheap.
    std::int64_t counted = -1;
    for (const auto& total : run.totals)
        if (total.name == "snapshots_taken")
            counted = total.value.value_or(-1);
    if (counted != 50'000)
        give_up(fmt::format("eBPF counted {} of 50000 events", counted));
    return ns;
}

TracedSnapshot traced_snapshot() {
    TracedSnapshot traced;
    traced.file = std::filesystem::read_symlink("/proc/self/exe").string();
    traced.function = "bench_snapshot";
    traced.parent = ::getpid();
    traced.my_proc = reinterpret_cast<std::uint64_t>(&my_proc);
    traced.slot_offset = offsetof(Entry, slot);
    return traced;
}

// The source `ebpf` on an unpatched server: entry, return, histogram by slot; and with the
// outcome, which takes two more looks into the process.
double through_uprobes(Emitter& emitter, const TracedSnapshot& traced, bool outcomes) {
    const auto symbols = read_symbols(traced.file, {traced.function});
    const auto* function = symbols ? symbols->find(traced.function) : nullptr;
    if (function == nullptr)
        give_up("this program does not export " + traced.function);
    StockProbeOptions options;
    options.postmaster = traced.parent;
    options.number = SlotNumber{0, traced.my_proc, traced.slot_offset};
    options.rows = 1;
    if (outcomes) {
        options.fields_known = true;
        options.completion_count = 112;
    }
    auto probes = StockProbes::load(options);
    if (!probes)
        give_up("uprobes and eBPF: " + probes.error().message());
    for (const auto probe : {SNAPSCOPE_STOCK_RETURN, SNAPSCOPE_STOCK_SNAPSHOT})
        if (const auto set = (*probes)->attach(traced.file, {probe, function->file_offset, FirstInstruction::push});
            !set)
            give_up(set.error().message());
    (*probes)->set_counting(true);
    const double ns = emitter.call_snapshot(trapped_events);
    (*probes)->detach();
    const auto& row = (*probes)->rows().front();
    if (row.scanned + row.reused != trapped_events)
        give_up(fmt::format("eBPF counted {} of {} snapshots", row.scanned + row.reused, trapped_events));
    return ns;
}

double through_bpftrace(Emitter& emitter, const TracedSnapshot& traced) {
    Bpftrace bpftrace(traced);
    const double ns = emitter.call_snapshot(trapped_events);
    if (const auto counted = bpftrace.finish(); counted != trapped_events)
        give_up(fmt::format("bpftrace counted {} of {} snapshots", counted, trapped_events));
    return ns;
}

// The same job on the same function: ours against bpftrace's.
void measure_uprobes(Emitter& emitter, Report& report) {
    const auto traced = traced_snapshot();
    const auto missing = bpftrace_missing();
    std::array<Rounds, 4> ns;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        ns[0].push_back(through_uprobes(emitter, traced, false));
        if (missing.empty())
            ns[1].push_back(through_bpftrace(emitter, traced));
        ns[2].push_back(through_uprobes(emitter, traced, false));
        ns[3].push_back(through_uprobes(emitter, traced, true));
    }
    report.add_row({{"mechanism", "uprobes + eBPF, entry and return by slot"}}, "ns", ns[0]);
    report.add_row({{"mechanism", "the same again"}}, "ns", ns[2]);
    report.add_row({{"mechanism", "the same and the outcome"}}, "ns", ns[3]);
    report.add_ratio(ratio_of("uprobes + eBPF, again / once (A/A)", ns[2], ns[0]));
    if (!missing.empty()) {
        report.add_absent({{"mechanism", "bpftrace, the same job"}}, "ns", missing);
        return;
    }
    report.add_row({{"mechanism", "bpftrace, the same job"}}, "ns", ns[1]);
    report.add_ratio(ratio_of("uprobes + eBPF / bpftrace", ns[0], ns[1]));
}

// The same fields: the ring against an LTTng-UST tracepoint.
void measure_lttng(Emitter& emitter, Report& report) {
    std::string absent;
    const auto lttng = LttngSession::start(absent);
    if (!lttng) {
        report.add_absent({{"mechanism", "LTTng-UST tracepoint"}}, "ns", absent);
        return;
    }
    std::array<Rounds, 2> ns;
    std::uint64_t lost = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        ns[0].push_back(through_ring(emitter, lost));
        ns[1].push_back(lttng->emit(lttng_events));
    }
    const auto stored = lttng->stored();
    if (stored * 10 < rounds * lttng_events * 9)
        give_up(fmt::format("LTTng stored {} of {} events", stored, rounds * lttng_events));
    report.add_row({{"mechanism", "LTTng-UST tracepoint, the ring's fields"}}, "ns", ns[1]);
    report.add_ratio(ratio_of("ring / LTTng-UST", ns[0], ns[1]));
    report.note(fmt::format("LTTng-UST stored {} of {} events", stored, rounds * lttng_events));
}

void measure(Report& report) {
    Emitter emitter;
    std::array<Rounds, 5> ns;
    std::uint64_t lost = 0;
    (void)through_ring(emitter, lost); // faults the ring's pages in
    lost = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        ns[0].push_back(gate_only(emitter));
        ns[1].push_back(through_ring(emitter, lost));
        ns[2].push_back(through_ebpf(emitter, false));
        ns[3].push_back(through_ebpf(emitter, true));
        ns[4].push_back(through_ring(emitter, lost));
    }
    report.add_row({{"mechanism", "nobody listens"}}, "ns", ns[0]);
    report.add_row({{"mechanism", "ring"}}, "ns", ns[1]);
    report.add_row({{"mechanism", "USDT + eBPF, counted"}}, "ns", ns[2]);
    report.add_row({{"mechanism", "USDT + eBPF, event to ring buffer"}}, "ns", ns[3]);
    report.add_ratio(ratio_of("ring / USDT + eBPF event", ns[1], ns[3]));
    report.add_ratio(ratio_of("ring / USDT + eBPF counted", ns[1], ns[2]));
    report.set_noise_floor(ns[1], ns[4]);
    report.note(fmt::format("ring events lost at full speed: {} of {} (a lost event is cheaper than a stored one)",
                            lost, 2 * rounds * 2'000'000));
    measure_uprobes(emitter, report);
    measure_lttng(emitter, report);
}

} // namespace
} // namespace snapscope::bench

int main(int argc, char** argv) {
    return snapscope::bench::run_suite(argc, argv, "probes", snapscope::bench::measure);
}
