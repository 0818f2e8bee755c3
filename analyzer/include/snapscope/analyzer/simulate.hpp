// The coherence model on a run's events, as they were or with something
// changed: another machine, other places of slots or backends, another mode.
#pragma once

#include <snapscope/analyzer/coherence.hpp>
#include <snapscope/analyzer/latency_matrix.hpp>
#include <snapscope/analyzer/proc_arrays.hpp>
#include <snapscope/recording/event_trace.hpp>
#include <snapscope/recording/run.hpp>

#include <atomic>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>

namespace snapscope {

enum class CacheMode : std::uint8_t { off, copy, spin, lockfree };
// Entries: as recorded; at random, as after churn; from the highest down, as
// after a start; those with lines to themselves first (snapshot_slot_spread).
enum class SlotPolicy : std::uint8_t { recorded, scattered, contiguous, spread };
// CPUs: each event's own; where the backend ran longest (source `sched`);
// neighbouring slots on different sockets in turn; on neighbouring cores.
enum class CpuPolicy : std::uint8_t { recorded, residency, round_robin, packed };

[[nodiscard]] const char* to_string(CacheMode mode);
[[nodiscard]] const char* to_string(SlotPolicy policy);
[[nodiscard]] const char* to_string(CpuPolicy policy);

struct SimulateOptions {
    Topology topology;
    Protocol protocol = Protocol::mesi;
    Prefetch prefetch = Prefetch::none;
    std::optional<CacheMode> mode; // none: as recorded
    SlotPolicy slots = SlotPolicy::recorded;
    CpuPolicy cpus = CpuPolicy::recorded;
    std::optional<std::uint64_t> stride_bytes; // of PGXACT
    LatencyMatrix matrix = synthetic_matrix();
    std::size_t threads = 1;
    std::uint64_t seed = 1; // of SlotPolicy::scattered
    const std::atomic<bool>* stop = nullptr;
};

// The next events in the order of time; 0 at the end.
using EventPull = std::function<Result<std::size_t>(std::span<EventTraceReader::Item>)>;

struct NamedTally {
    std::string name;
    CoherenceTally tally;
};

struct LineTally {
    std::string structure;
    std::uint64_t address = 0;
    std::uint64_t index = 0; // within the structure
    CoherenceTally tally;
};

// Modelled accesses to one word; what reads and writes at once counts as a write.
struct WordAccesses {
    std::uint64_t reads = 0, writes = 0;
};

struct EntryWords {
    std::uint32_t slot = 0;
    WordAccesses xid, xmin;
};

struct SimulationResult {
    std::string load = "recorded"; // or what a synthetic load was
    std::string topology, topology_source, topology_words;
    Protocol protocol = Protocol::mesi;
    Prefetch prefetch = Prefetch::none;
    std::string recorded_mode, mode; // snapshot_cache
    SlotPolicy slots = SlotPolicy::recorded;
    CpuPolicy cpus = CpuPolicy::recorded;
    std::uint64_t stride_bytes = 0;
    std::uint64_t events = 0, snapshots = 0, transactions = 0;
    std::uint64_t lost = 0; // events, while recording
    CoherenceTally total;
    std::uint64_t cold = 0, useful_prefetches = 0;
    std::vector<NamedTally> by_structure, by_purpose;
    std::vector<LineTally> by_line;      // those that moved, most transfers first
    WordAccesses lock_word;              // ProcArrayLock's
    std::vector<EntryWords> entry_words; // those that were touched, by slot
    std::uint64_t llcs = 0;
    std::vector<std::uint64_t> between_llcs; // [reader * llcs + supplier]
    LatencyMatrix matrix;
    std::optional<double> cycles_per_snapshot;
    // Lines of PGXACT a scan: as modelled, and as the server counted them for the same scans.
    std::optional<double> lines_per_scan, lines_per_scan_recorded;
    std::uint64_t entries_at_end = 0;     // of the proc array
    std::vector<std::string> assumptions; // what was made up or placed otherwise
    std::vector<std::string> not_modelled;
    std::vector<std::string> warnings;
};

// RUN gives layout, mode and backends; EVENTS only those of one source.
// Fails for a run that names no PGXACT, for events that name a CPU which the
// topology lacks, and as EVENTS fails.
[[nodiscard]] Result<SimulationResult> simulate(const Run& run, const EventPull& events,
                                                const SimulateOptions& options);

// Of a run folder: opens its events, takes those of the ring, else of eBPF.  A
// run without any is refused.
[[nodiscard]] Result<SimulationResult> simulate_folder(const Run& run, const std::filesystem::path& folder,
                                                       const SimulateOptions& options);

// docs/simulate.md; the names are a contract.
[[nodiscard]] nlohmann::ordered_json to_json(const SimulationResult& result);
// Several models of one load, and by what factor each moves less than the first.
[[nodiscard]] nlohmann::ordered_json to_json(std::span<const SimulationResult> results);

// Transfers a snapshot, all or of one distance; nullopt where none was taken.
[[nodiscard]] std::optional<double> transfers_per_snapshot(const SimulationResult& result);
[[nodiscard]] std::optional<double> transfers_per_snapshot(const SimulationResult& result, Distance distance);

} // namespace snapscope
