#include "summary_warnings.hpp"

#include <snapscope/analyzer/histograms.hpp>
#include <snapscope/analyzer/layout.hpp>
#include <snapscope/analyzer/summary.hpp>

#include <algorithm>
#include <array>
#include <map>

namespace snapscope {
namespace {

constexpr std::string_view invalidation_prefix = "invalidations_";

std::optional<double> ratio(double value, std::optional<double> by) {
    return by && *by > 0 ? std::optional(value / *by) : std::nullopt;
}

SnapshotSummary snapshots(const Run& run) {
    SnapshotSummary out;
    out.source = snapshot_source(run);
    const auto get = [&](const char* name) { return total(run, name, out.source); };
    out.taken = get("snapshots_taken");
    out.reused = get("snapshots_reused");
    out.rebuilt = get("snapshots_rebuilt");
    out.private_scans = get("snapshots_private_scans");
    out.waited = get("snapshots_waited");
    out.lockfree = get("snapshots_lockfree");
    out.kept = get("snapshots_kept");
    out.retries = get("snapshots_retries");
    out.gave_up = get("snapshots_gave_up");
    // A source that kept to a budget has seen a part of the time; its counts are of that part.
    const auto seconds = duration_s(run);
    const auto observed = observed_s(run, out.source);
    if (seconds && observed && *observed < *seconds)
        out.observed_share = *observed / *seconds;
    if (out.taken)
        out.per_second = ratio(static_cast<double>(*out.taken), observed);
    return out;
}

LockWaitSummary lock_waits(const Run& run) {
    LockWaitSummary out;
    out.source = "ebpf";
    out.exclusive = total(run, "lock_waits_exclusive", out.source);
    out.shared = total(run, "lock_waits_shared", out.source);
    out.exclusive_ns = total(run, "lock_wait_ns_exclusive", out.source);
    out.shared_ns = total(run, "lock_wait_ns_shared", out.source);
    return out;
}

std::vector<WordSummary> words(const Run& run) {
    std::vector<WordSummary> out;
    for (const std::string word : {"lock", "xid", "xmin"}) {
        const auto reads = total(run, word + "_word_reads", "watch");
        const auto writes = total(run, word + "_word_writes", "watch");
        const auto watched = total(run, word + "_word_watched_ns", "watch");
        if (reads && writes && watched)
            out.push_back({"watch", word, *reads, *writes, static_cast<double>(*watched) / 1e9});
    }
    return out;
}

InvalidationSummary invalidations(const Run& run, const std::string& source) {
    InvalidationSummary out;
    for (const Total& entry : run.totals) {
        if (entry.source != source || !entry.name.starts_with(invalidation_prefix) || !entry.value || *entry.value < 0)
            continue;
        const auto count = static_cast<std::uint64_t>(*entry.value);
        out.total = out.total.value_or(0) + count;
        if (count > 0)
            out.by_reason.push_back({entry.name.substr(invalidation_prefix.size()), count});
    }
    std::stable_sort(out.by_reason.begin(), out.by_reason.end(),
                     [](const NamedCount& a, const NamedCount& b) { return a.count > b.count; });
    return out;
}

DurationSummary duration(const Run& run) {
    DurationSummary out;
    const auto histogram = whole_histogram(run, "snapshot_duration");
    if (!histogram)
        return out;
    out.source = histogram->source;
    out.count = histogram_count(*histogram);
    out.p50 = quantile_bounds(*histogram, 0.5);
    out.p99 = quantile_bounds(*histogram, 0.99);
    out.max_ns = histogram->max;
    return out;
}

LineSummary lines(const Run& run, const SnapshotSummary& snapshots) {
    LineSummary out;
    if (const Array* array = scanned_array(run)) {
        out.array = array->name;
        out.spanned = array->lines;
        out.straddling_entries = array->straddling_entries;
    }
    out.per_scan = run.layout.lines_per_scan;
    const auto scanned = total(run, "lines_scanned", snapshots.source);
    if (!out.per_scan && scanned && snapshots.rebuilt && snapshots.private_scans) {
        const auto refreshes = total(run, "horizon_refreshes", snapshots.source).value_or(0);
        out.per_scan = ratio(static_cast<double>(*scanned),
                             static_cast<double>(*snapshots.rebuilt + *snapshots.private_scans + refreshes));
    }
    return out;
}

int width(const Matrix& matrix) {
    constexpr std::array<std::string_view, 4> levels{"core", "llc", "node", "socket"};
    return static_cast<int>(std::find(levels.begin(), levels.end(), matrix.by) - levels.begin());
}

std::vector<TransferSummary> transfers(const Run& run, const SnapshotSummary& snapshots) {
    std::map<std::string, const Matrix*> widest;
    for (const Matrix& matrix : run.matrices) {
        if (matrix.name != "transfers" || matrix.counts.size() != matrix.readers.size() * matrix.writers.size() ||
            width(matrix) > 3)
            continue;
        const Matrix*& best = widest[matrix.source];
        if (best == nullptr || width(matrix) > width(*best))
            best = &matrix;
    }
    std::vector<TransferSummary> out;
    for (const auto& [source, matrix] : widest) {
        const SourceStatus* status = find_source(run, source);
        for (std::size_t r = 0; r < matrix->readers.size(); ++r) {
            for (std::size_t w = 0; w < matrix->writers.size(); ++w) {
                const double count = matrix->counts[r * matrix->writers.size() + w];
                if (!(count > 0))
                    continue;
                TransferSummary row;
                row.kind = status != nullptr ? status->kind : EvidenceKind::measured;
                row.source = source;
                row.by = matrix->by;
                row.from = matrix->writers[w];
                row.to = matrix->readers[r];
                row.per_second = ratio(count, duration_s(run));
                if (snapshots.taken)
                    row.per_snapshot = ratio(count, static_cast<double>(*snapshots.taken));
                out.push_back(std::move(row));
            }
        }
    }
    return out;
}

std::vector<HotLine> hot_lines(const Run& run) {
    std::vector<HotLine> out;
    const std::vector<std::string> columns{"local", "remote"};
    for (const Matrix& matrix : run.matrices)
        if (matrix.name == "hitm_samples" && matrix.by == "line" && matrix.writers == columns)
            for (std::size_t i = 0; i < matrix.readers.size(); ++i)
                out.push_back({matrix.source, matrix.readers[i], matrix.counts[2 * i], matrix.counts[2 * i + 1]});
    std::stable_sort(out.begin(), out.end(), [](const HotLine& a, const HotLine& b) { return a.remote > b.remote; });
    return out;
}

} // namespace

Summary summarize(const Run& run) {
    Summary out;
    out.run_id = run.id;
    out.finished = run.finished;
    out.duration_s = duration_s(run);
    out.server = run.server;
    out.metrics = derive_metrics(run);
    for (const Metric& metric : out.metrics)
        if (metric.name == "tps")
            out.tps = metric;
    out.snapshots = snapshots(run);
    out.invalidations = invalidations(run, out.snapshots.source);
    out.duration = duration(run);
    out.lines = lines(run, out.snapshots);
    out.lock_waits = lock_waits(run);
    out.words = words(run);
    out.transfers = transfers(run, out.snapshots);
    out.placement = placement(run);
    out.mirror = summarize_mirror(run);
    out.hot_lines = hot_lines(run);
    out.gaps = run.gaps;
    for (Gap& gap : out.gaps) {
        gap.begin_ns -= run.clock.start_ns;
        gap.end_ns -= run.clock.start_ns;
    }
    out.workload = run.workload;
    out.sources = run.sources;
    out.warnings = summary_warnings(run, out);
    return out;
}

} // namespace snapscope
