#include "diff_text.hpp"

#include "escape.hpp"

#include <cmath>
#include <fmt/format.h>

namespace snapscope::cli {
namespace {

constexpr double worth_seeing_percent = 1; // a coarser resolution is said

// "+0.55", with more digits where two would round to nothing.
std::string signed_value(double value) {
    if (value == 0)
        return "0";
    return std::fabs(value) < 0.01 ? (value > 0 ? "+" : "") + number(value, 2) : fmt::format("{:+.2f}", value);
}

std::string change(const Comparison& c, const std::string& unit) {
    if (c.change_percent)
        return signed_value(*c.change_percent) + " %";
    return c.change ? (*c.change > 0 ? "+" : "") + number(*c.change) + " " + unit : "";
}

std::string interval(const Comparison& c, const std::string& unit) {
    if (c.interval_percent)
        return fmt::format("{} to {} %", signed_value(c.interval_percent->low), signed_value(c.interval_percent->high));
    if (c.interval)
        return fmt::format("{} to {} {}", number(c.interval->low), number(c.interval->high), unit);
    return "";
}

std::string p_value(const Comparison& c) {
    if (!c.p_value)
        return "";
    return *c.p_value < 0.0001 ? "< 0.0001" : fmt::format("{:.4f}", *c.p_value);
}

Tone tone_of(const MetricDiff& metric) {
    if (metric.regression())
        return Tone::bad;
    return metric.improvement() ? Tone::good : Tone::plain;
}

// "tps", or "tps of select-only" where there are several workloads.
std::string label_of(const MetricDiff& metric) {
    return metric.workload.empty() ? metric.name : metric.name + " of " + metric.workload;
}

// What these runs could not have seen.
std::string hidden(const MetricDiff& metric) {
    const auto resolution = metric.resolution_percent();
    return resolution && *resolution > worth_seeing_percent
               ? fmt::format("; a change of less than some {:.1f} % would not have been seen", *resolution)
               : "";
}

std::string headline(const MetricDiff& metric) {
    const Comparison& c = metric.comparison;
    const std::string name = label_of(metric);
    switch (c.verdict) {
    case Verdict::too_few_runs:
        return fmt::format("{}: too few runs to tell", name);
    case Verdict::no_difference_shown:
        return fmt::format("{}: no difference shown ({}, 95 % interval {}, p = {}){}", name, change(c, metric.unit),
                           interval(c, metric.unit), p_value(c), hidden(metric));
    case Verdict::higher:
    case Verdict::lower:
        break;
    }
    const char* judged = metric.regression()     ? " (worse)"
                         : metric.improvement()  ? " (better)"
                         : metric.within_floor() ? " (within the A/A floor)"
                                                 : "";
    return fmt::format("{}: {}{} by {}, 95 % interval {}, p = {}", name, to_string(c.verdict), judged,
                       change(c, metric.unit), interval(c, metric.unit), p_value(c));
}

} // namespace

std::string diff_text(const Diff& diff, const Terminal& terminal) {
    std::string out = terminal.paint(escape_terminal(headline(diff.metrics.front())), Tone::strong) + "\n";
    out += fmt::format("{}, {} of base against {} of new, level 0.05 for each metric\n\n", diff.test, diff.base.size(),
                       diff.other.size());
    using Align = Table::Align;
    Table table({{"metric"},
                 {"unit"},
                 {"base", Align::right},
                 {"new", Align::right},
                 {"change", Align::right},
                 {"95 % interval", Align::right},
                 {"p", Align::right},
                 {"of means", Align::right},
                 {"verdict"}});
    for (const MetricDiff& metric : diff.metrics) {
        const Comparison& c = metric.comparison;
        std::string verdict = to_string(c.verdict);
        if (metric.regression() || metric.improvement())
            verdict += metric.regression() ? ", worse" : ", better";
        else if (metric.within_floor())
            verdict += ", within the A/A floor";
        table.add({label_of(metric), metric.unit, number(metric.base.median, 5), number(metric.other.median, 5),
                   change(c, metric.unit), interval(c, metric.unit), p_value(c),
                   metric.mean_change_percent ? signed_value(*metric.mean_change_percent) + " %" : "", verdict},
                  tone_of(metric));
    }
    out += table.text(terminal);
    out += terminal.paint("base and new are medians; change is the Hodges-Lehmann estimate\n", Tone::faint);
    for (const std::string& warning : diff.warnings)
        out += terminal.paint("warning: " + escape_terminal(warning), Tone::warn) + "\n";
    return out;
}

Table diff_table(const Diff& diff) {
    using Align = Table::Align;
    Table table({{"metric"},
                 {"unit"},
                 {"better"},
                 {"base_n", Align::right},
                 {"base_median", Align::right},
                 {"new_n", Align::right},
                 {"new_median", Align::right},
                 {"change_percent", Align::right},
                 {"ci95_low_percent", Align::right},
                 {"ci95_high_percent", Align::right},
                 {"p_value", Align::right},
                 {"mean_change_percent", Align::right},
                 {"verdict"},
                 {"workload"},
                 {"aa_floor_percent", Align::right}});
    const auto cell = [](const std::optional<double>& value) { return value ? number(*value, 6) : std::string(); };
    for (const MetricDiff& metric : diff.metrics) {
        const Comparison& c = metric.comparison;
        const auto& ci = c.interval_percent;
        table.add({metric.name, metric.unit, to_string(metric.better), std::to_string(metric.base.n),
                   number(metric.base.median, 8), std::to_string(metric.other.n), number(metric.other.median, 8),
                   cell(c.change_percent), cell(ci ? std::optional(ci->low) : std::nullopt),
                   cell(ci ? std::optional(ci->high) : std::nullopt), cell(c.p_value), cell(metric.mean_change_percent),
                   to_string(c.verdict), metric.workload, cell(metric.floor ? metric.floor->percent : std::nullopt)});
    }
    return table;
}

} // namespace snapscope::cli
