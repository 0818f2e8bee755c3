#include "metric_file.hpp"

#include <snapscope/analyzer/histograms.hpp>
#include <snapscope/analyzer/metrics.hpp>
#include <snapscope/recording/gaps.hpp>

#include <algorithm>
#include <array>

namespace snapscope {
namespace {

struct Known {
    std::string_view name;
    const char* unit;
    Better better;
};
constexpr std::array known{
    Known{"tps", "1/s", Better::higher},
    Known{"server_cpu_us_per_xact", "us", Better::lower},
    Known{"snapshot_ns", "ns", Better::lower},
    Known{"latency_ms", "ms", Better::lower},
    Known{"reused_share", "1", Better::none},
    Known{"rebuilt_share", "1", Better::none},
    Known{"private_scan_share", "1", Better::none},
    Known{"lines_per_snapshot", "lines", Better::lower},
    Known{"cross_socket_events_per_snapshot", "1", Better::lower},
};

constexpr std::array<std::string_view, 3> snapshot_sources{"ring", "ebpf", "emulate"};

// Seconds of the windows in which SOURCE told something: around a gap that is less
// than the time that others watched.
std::optional<double> told_s(const Run& run, std::string_view source) {
    if (run.gaps.empty())
        return duration_s(run);
    const auto tells = [&](std::size_t row) {
        return std::ranges::any_of(run.windows.series, [&](const Series& series) {
            return series.source == source && series.values[row].has_value();
        });
    };
    double ns = 0;
    for (std::size_t row = 0; row < run.windows.start_ns.size(); ++row)
        if (tells(row))
            ns += static_cast<double>(run.windows.end_ns[row] - run.windows.start_ns[row]);
    return ns > 0 ? std::optional(ns / 1e9) : std::nullopt;
}

std::optional<Metric> tps(const Run& run) {
    if (run.workload && run.workload->valid && run.workload->tps)
        return Metric{"tps", "workload", *run.workload->tps};
    const auto seconds = duration_s(run);
    if (!seconds)
        return std::nullopt;
    // The server's statistics learn of a transaction late, so they come last.
    struct Counted {
        const char *source, *one, *other;
    };
    for (const auto& [source, one, other] : {Counted{"ring", "xacts_with_xid", "xacts_without_xid"},
                                             Counted{"ebpf", "xacts_with_xid", "xacts_without_xid"},
                                             Counted{"sql", "xacts_committed", "xacts_rolled_back"}}) {
        const auto left = total(run, one, source);
        const auto right = total(run, other, source);
        // A sample of the time says less than the statistics that come after it.
        if (!left || !right || observed_s(run, source) != seconds)
            continue;
        if (const auto told = told_s(run, source))
            return Metric{"tps", source, static_cast<double>(*left + *right) / *told};
    }
    return std::nullopt;
}

std::optional<Metric> server_cpu(const Run& run) {
    const auto cpu_ns = total(run, "server_cpu_ns", "sched");
    if (!cpu_ns || !run.workload || !run.workload->valid || run.workload->transactions.value_or(0) == 0)
        return std::nullopt;
    return Metric{"server_cpu_us_per_xact", "sched",
                  static_cast<double>(*cpu_ns) / 1000 / static_cast<double>(*run.workload->transactions)};
}

std::optional<Metric> per_snapshot(const Run& run, const char* name, const char* part, const std::string& source) {
    const auto value = total(run, part, source);
    const auto taken = total(run, "snapshots_taken", source);
    if (!value || !taken || *taken == 0)
        return std::nullopt;
    return Metric{name, source, static_cast<double>(*value) / static_cast<double>(*taken)};
}

// What hardware saw: metrics that are data files, where their totals are in the run.
void add_measured(const Run& run, std::vector<Metric>& out) {
    for (const MetricFile& metric : metric_files()) {
        const auto input = [&](std::string_view name) -> std::optional<double> {
            if (name == "seconds")
                return duration_s(run);
            const auto value = total(run, name, metric.source);
            return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
        };
        if (const auto value = evaluate(metric.formula, input); value && *value)
            out.push_back({metric.name, metric.source, **value});
    }
}

// The histograms NAME of `source` with a label or without, added up; nullopt
// for none or where their bounds differ.
std::optional<Histogram> sum_of(const Run& run, std::string_view name, std::string_view source, bool labelled) {
    std::optional<Histogram> sum;
    for (const Histogram& next : run.histograms) {
        if (next.name != name || next.source != source || next.label.empty() == labelled ||
            next.bounds.size() != next.counts.size() + 1)
            continue;
        if (!sum) {
            sum = next;
            sum->label.clear();
            continue;
        }
        if (sum->bounds != next.bounds)
            return std::nullopt;
        for (std::size_t i = 0; i < next.counts.size(); ++i)
            sum->counts[i] += next.counts[i];
        // One extreme that is not known makes that of the sum unknown.
        const auto join = [](const std::optional<double>& a, const std::optional<double>& b, auto pick) {
            return a && b ? std::optional<double>(pick(*a, *b)) : std::nullopt;
        };
        sum->min = join(sum->min, next.min, [](double a, double b) { return std::min(a, b); });
        sum->max = join(sum->max, next.max, [](double a, double b) { return std::max(a, b); });
    }
    return sum;
}

} // namespace

const char* to_string(Better better) {
    switch (better) {
    case Better::higher:
        return "higher";
    case Better::lower:
        return "lower";
    case Better::none:
        break;
    }
    return "none";
}

MetricInfo metric_info(std::string_view name) {
    const auto* const entry = std::find_if(known.begin(), known.end(), [&](const Known& k) { return k.name == name; });
    if (entry != known.end())
        return {entry->unit, entry->better};
    const auto file = std::ranges::find(metric_files(), name, &MetricFile::name);
    return file == metric_files().end() ? MetricInfo{} : MetricInfo{file->unit, file->better};
}

std::vector<std::string> contract_metrics() {
    std::vector<std::string> out;
    for (const Known& metric : known)
        out.emplace_back(metric.name);
    for (const MetricFile& metric : metric_files())
        out.push_back(metric.name);
    return out;
}

const SourceStatus* find_source(const Run& run, std::string_view name) {
    const auto at = std::find_if(run.sources.begin(), run.sources.end(),
                                 [&](const SourceStatus& source) { return source.name == name; });
    return at == run.sources.end() ? nullptr : &*at;
}

std::optional<std::uint64_t> total(const Run& run, std::string_view name, std::string_view source) {
    for (const Total& entry : run.totals)
        if (entry.name == name && entry.source == source && entry.value && *entry.value >= 0)
            return static_cast<std::uint64_t>(*entry.value);
    return std::nullopt;
}

std::string snapshot_source(const Run& run) {
    for (const std::string_view source : snapshot_sources)
        if (total(run, "snapshots_taken", source))
            return std::string(source);
    return "";
}

std::optional<Histogram> whole_histogram(const Run& run, std::string_view name) {
    std::vector<std::string> sources(snapshot_sources.begin(), snapshot_sources.end());
    for (const Histogram& histogram : run.histograms)
        sources.push_back(histogram.source);
    for (const std::string& source : sources)
        for (const bool labelled : {false, true})
            if (auto found = sum_of(run, name, source, labelled); found && histogram_count(*found) > 0)
                return found;
    return std::nullopt;
}

std::optional<double> duration_s(const Run& run) {
    const double ns = watched_ns(run);
    return ns > 0 ? std::optional(ns / 1e9) : std::nullopt;
}

std::optional<double> observed_s(const Run& run, const std::string& source) {
    constexpr double whole = 0.999; // what attaching between two clocks may take
    const auto seconds = duration_s(run);
    const auto observed_ns = total(run, "observed_ns", source);
    if (!seconds || !observed_ns)
        return seconds;
    const double observed = static_cast<double>(*observed_ns) / 1e9;
    return observed < whole * *seconds ? observed : *seconds;
}

std::vector<Metric> derive_metrics(const Run& run) {
    std::vector<Metric> out;
    const auto add = [&](std::optional<Metric> metric) {
        if (metric)
            out.push_back(std::move(*metric));
    };
    const std::string source = snapshot_source(run);
    add(tps(run));
    add(server_cpu(run));
    if (const auto durations = whole_histogram(run, "snapshot_duration"))
        if (const auto ns = histogram_mean(*durations))
            out.push_back({"snapshot_ns", durations->source, *ns});
    if (run.workload && run.workload->valid && run.workload->latency_ms)
        out.push_back({"latency_ms", "workload", *run.workload->latency_ms});
    add(per_snapshot(run, "reused_share", "snapshots_reused", source));
    add(per_snapshot(run, "rebuilt_share", "snapshots_rebuilt", source));
    add(per_snapshot(run, "private_scan_share", "snapshots_private_scans", source));
    add(per_snapshot(run, "lines_per_snapshot", "lines_scanned", "ring"));
    add(per_snapshot(run, "cross_socket_events_per_snapshot", "cross_socket_events", "emulate"));
    add_measured(run, out);
    return out;
}

} // namespace snapscope
