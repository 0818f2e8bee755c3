// What one run says, in one screen: the answer of `snapscope show`, which
// reports and the live page print too.
//
// nullopt is "this server or source cannot tell", never 0.  The JSON names are
// a contract (docs: cli, `show --format json`).
#pragma once

#include <snapscope/analyzer/metrics.hpp>
#include <snapscope/analyzer/mirror_summary.hpp>
#include <snapscope/analyzer/placement.hpp>
#include <snapscope/analyzer/statistics.hpp>
#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

struct SnapshotSummary {
    std::string source; // whose counters these are; empty for none
    std::optional<std::uint64_t> taken, reused, rebuilt, private_scans;
    std::optional<std::uint64_t> waited;
    std::optional<std::uint64_t> lockfree, kept, retries, gave_up; // lockfree and kept are parts of reused
    std::optional<double> per_second;
    std::optional<double> observed_share; // of the run's time that the counts are of; null where that is all of it
};

// Finished waits for ProcArrayLock.
struct LockWaitSummary {
    std::string source;
    std::optional<std::uint64_t> exclusive, shared;
    std::optional<std::uint64_t> exclusive_ns, shared_ns; // together
};

// Accesses of one kind of word while words of that kind were watched.
struct WordSummary {
    std::string source;
    std::string word; // lock, xid, xmin
    std::uint64_t reads = 0, writes = 0;
    double watched_s = 0;
};

struct InvalidationSummary {
    std::optional<std::uint64_t> total;
    std::vector<NamedCount> by_reason; // most frequent first; without zeros
};

// A percentile lies in [low, high) of its bucket.
struct DurationSummary {
    std::string source;
    std::uint64_t count = 0;
    std::optional<Interval> p50, p99;
    std::optional<double> max_ns; // exact, null where only a bucket is known
};

struct LineSummary {
    std::optional<double> per_scan;
    std::optional<std::uint64_t> spanned, straddling_entries; // of the array that snapshots scan
    std::string array;                                        // PGXACT or xids
};

// Readers that got a line from a writer's cache.
struct TransferSummary {
    EvidenceKind kind = EvidenceKind::measured;
    std::string source;
    std::string by; // core, llc, node, socket
    std::string from, to;
    std::optional<double> per_second, per_snapshot;
};

// A cache line that loads found modified in another cache, in samples.
struct HotLine {
    std::string source, address;
    double local = 0, remote = 0; // where the modified copy was, seen from the reader
};

struct Summary {
    std::string run_id;
    bool finished = false;
    std::optional<double> duration_s;
    Server server;
    std::optional<Metric> tps;
    SnapshotSummary snapshots;
    InvalidationSummary invalidations;
    DurationSummary duration;
    LineSummary lines;
    LockWaitSummary lock_waits;
    std::vector<WordSummary> words;         // those that were watched
    std::vector<TransferSummary> transfers; // the widest level that each source has
    Placement placement;
    std::optional<MirrorSummary> mirror;
    std::vector<HotLine> hot_lines; // most remote first
    std::vector<Gap> gaps;          // their times count from the beginning of the run
    std::optional<Workload> workload;
    std::vector<Metric> metrics; // derived, docs/contracts.md
    std::vector<SourceStatus> sources;
    std::vector<std::string> warnings;
};

[[nodiscard]] Summary summarize(const Run& run);
[[nodiscard]] nlohmann::json to_json(const Summary& summary);

} // namespace snapscope
