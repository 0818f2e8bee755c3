#include "diff_text.hpp"

#include "escape.hpp"

#include <snapscope/analyzer/words.hpp>

#include <fmt/format.h>

namespace snapscope::cli {
namespace {

Tone tone_of(const MetricDiff& metric) {
    if (metric.regression())
        return Tone::bad;
    return metric.improvement() ? Tone::good : Tone::plain;
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
                   change_text(c, metric.unit), interval_text(c, metric.unit), p_value_text(c),
                   metric.mean_change_percent ? signed_number(*metric.mean_change_percent) + " %" : "", verdict},
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
