#include <snapscope/analyzer/words.hpp>
#include <snapscope/base/numbers.hpp>

#include <cmath>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr double worth_seeing_percent = 1; // a coarser resolution is said

// What these runs could not have seen.
std::string hidden(const MetricDiff& metric) {
    const auto resolution = metric.resolution_percent();
    return resolution && *resolution > worth_seeing_percent
               ? fmt::format("; a change of less than some {:.1f} % would not have been seen", *resolution)
               : "";
}

} // namespace

std::string finding(const Summary& summary) {
    const SnapshotSummary& s = summary.snapshots;
    if (!s.taken)
        return "No source counted snapshots in this run.";
    std::string out = fmt::format("{} snapshots", grouped(*s.taken));
    if (s.per_second)
        out += fmt::format(", {} a second", grouped(static_cast<std::uint64_t>(std::llround(*s.per_second))));
    if (*s.taken > 0 && s.reused && s.private_scans && s.rebuilt) {
        if (*s.reused == 0 && *s.rebuilt == 0)
            out += "; every one scanned the proc array";
        else
            out += fmt::format("; {} reused, {} rebuilt, {} scanned for themselves", percent_text(s.reused, s.taken),
                               percent_text(s.rebuilt, s.taken), percent_text(s.private_scans, s.taken));
    }
    return out + ".";
}

std::string heading(const Summary& summary) {
    std::string out =
        fmt::format("PostgreSQL {}, snapshot_cache {}", summary.server.version, summary.server.snapshot_cache);
    if (summary.server.max_connections)
        out += fmt::format(", max_connections {}", *summary.server.max_connections);
    if (summary.duration_s)
        out += fmt::format(", {} s observed", number(*summary.duration_s));
    return out;
}

std::string signed_number(double value) {
    if (value == 0)
        return "0";
    return std::fabs(value) < 0.01 ? (value > 0 ? "+" : "") + number(value, 2) : fmt::format("{:+.2f}", value);
}

std::string change_text(const Comparison& c, const std::string& unit) {
    if (c.change_percent)
        return signed_number(*c.change_percent) + " %";
    return c.change ? (*c.change > 0 ? "+" : "") + number(*c.change) + " " + unit : "";
}

std::string interval_text(const Comparison& c, const std::string& unit) {
    if (c.interval_percent)
        return fmt::format("{} to {} %", signed_number(c.interval_percent->low),
                           signed_number(c.interval_percent->high));
    if (c.interval)
        return fmt::format("{} to {} {}", number(c.interval->low), number(c.interval->high), unit);
    return "";
}

std::string p_value_text(const Comparison& c) {
    if (!c.p_value)
        return "";
    return *c.p_value < 0.0001 ? "< 0.0001" : fmt::format("{:.4f}", *c.p_value);
}

std::string label_of(const MetricDiff& metric) {
    return metric.workload.empty() ? metric.name : metric.name + " of " + metric.workload;
}

std::string headline(const MetricDiff& metric) {
    const Comparison& c = metric.comparison;
    const std::string name = label_of(metric);
    switch (c.verdict) {
    case Verdict::too_few_runs:
        return fmt::format("{}: too few runs to tell", name);
    case Verdict::no_difference_shown:
        return fmt::format("{}: no difference shown ({}, 95 % interval {}, p = {}){}", name,
                           change_text(c, metric.unit), interval_text(c, metric.unit), p_value_text(c), hidden(metric));
    case Verdict::higher:
    case Verdict::lower:
        break;
    }
    const char* judged = metric.regression()     ? " (worse)"
                         : metric.improvement()  ? " (better)"
                         : metric.within_floor() ? " (within the A/A floor)"
                                                 : "";
    return fmt::format("{}: {}{} by {}, 95 % interval {}, p = {}", name, to_string(c.verdict), judged,
                       change_text(c, metric.unit), interval_text(c, metric.unit), p_value_text(c));
}

} // namespace snapscope
