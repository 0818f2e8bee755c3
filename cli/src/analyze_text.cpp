#include "analyze_text.hpp"

#include "escape.hpp"

#include <fmt/format.h>

namespace snapscope::cli {
namespace {

constexpr std::size_t shown_associations = 12;

std::string cell(const std::optional<double>& value, int digits = 6) {
    return value ? number(*value, digits) : "";
}

std::string between(const std::optional<Interval>& interval) {
    return interval ? fmt::format("{:+.2f} to {:+.2f}", interval->low, interval->high) : "";
}

// The level of the region that holds x, where there are regions.
std::string level_at(const Shape& shape, double x) {
    if (shape.regions.size() < 2)
        return "";
    for (const Region& region : shape.regions)
        if (x >= region.from && x <= region.to)
            return region.level;
    return "";
}

std::string notes_of(const CurvePoint& point) {
    std::string out;
    if (point.tps.empty() && !point.failed.empty())
        out = "failed: " + point.failed.front().reason;
    else if (!point.failed.empty())
        out = fmt::format("{} of its runs failed", point.failed.size());
    for (const std::string& flag : point.flags)
        out += (out.empty() ? "" : "; ") + flag;
    return out;
}

// A bar of the level's share of the highest, so that the shape is seen.
std::string bar(double share) {
    constexpr std::size_t width = 30;
    return std::string(static_cast<std::size_t>(share * static_cast<double>(width) + 0.5), '#');
}

std::string points_text(const Analysis& analysis, const CurveAnalysis& one, const Terminal& terminal) {
    using Align = Table::Align;
    Table table({{analysis.x, Align::right}, {"runs", Align::right}, {"tps", Align::right}, {"level"}, {""}, {""}});
    for (const CurvePoint& point : one.curve.points) {
        const auto level = point.level();
        const bool odd = !level || !point.flags.empty();
        table.add({fmt::format("{:.10g}", point.x), std::to_string(point.tps.size()),
                   level ? number(*level, 7) : "none", level_at(one.shape, point.x),
                   level ? bar(*level / one.shape.highest_tps) : "", notes_of(point)},
                  odd ? Tone::warn : Tone::plain);
    }
    std::string out;
    if (!one.curve.keys.empty())
        out = terminal.paint(escape_terminal(one.curve.name()), Tone::strong) + "\n";
    return out + table.text(terminal) + "\n";
}

std::string associations_text(const Analysis& analysis, const Terminal& terminal) {
    if (analysis.associations.empty())
        return "";
    using Align = Table::Align;
    Table table({{"tps with"},
                 {"kind"},
                 {"of"},
                 {"rho", Align::right},
                 {"95 % interval", Align::right},
                 {"p (Holm)", Align::right},
                 {"x fixed", Align::right},
                 {"n", Align::right},
                 {""}});
    for (std::size_t i = 0; i < analysis.associations.size() && i < shown_associations; ++i) {
        const Association& one = analysis.associations[i];
        table.add({one.metric + (one.per_transaction ? " per transaction" : ""), one.kind, one.group,
                   fmt::format("{:+.2f}", one.correlation.rho), between(one.correlation.interval95),
                   fmt::format("{:.4f}", one.p_holm), one.partial_rho ? fmt::format("{:+.2f}", *one.partial_rho) : "",
                   std::to_string(one.correlation.n), one.by_construction},
                  one.shown() ? Tone::strong : Tone::plain);
    }
    std::string out = table.text(terminal);
    if (analysis.associations.size() > shown_associations)
        out += fmt::format("and {} more, see --format json\n", analysis.associations.size() - shown_associations);
    return out +
           terminal.paint("Spearman's rho over the points; intervals by bootstrap; p by permutation, corrected for "
                          "all rows\n\n",
                          Tone::faint);
}

} // namespace

std::string analyze_text(const Analysis& analysis, const Terminal& terminal) {
    std::string out = terminal.paint(escape_terminal(analysis.finding), Tone::strong) + "\n\n";
    for (const CurveAnalysis& one : analysis.curves)
        out += points_text(analysis, one, terminal);
    out += associations_text(analysis, terminal);
    if (!analysis.not_shown.empty())
        out += "not shown:\n";
    for (const std::string& text : analysis.not_shown)
        out += "  - " + escape_terminal(text) + "\n";
    for (const std::string& warning : analysis.warnings)
        out += terminal.paint("warning: " + escape_terminal(warning), Tone::warn) + "\n";
    return out;
}

Table analyze_table(const Analysis& analysis) {
    using Align = Table::Align;
    Table table({{analysis.x, Align::right},
                 {"group"},
                 {"runs", Align::right},
                 {"tps", Align::right},
                 {"ci95_low", Align::right},
                 {"ci95_high", Align::right},
                 {"level"},
                 {"state"},
                 {"notes"}});
    for (const CurveAnalysis& one : analysis.curves)
        for (const CurvePoint& point : one.curve.points) {
            const auto interval = median_interval95(point.tps);
            table.add({fmt::format("{:.10g}", point.x), one.curve.name(), std::to_string(point.tps.size()),
                       cell(point.level(), 10), cell(interval ? std::optional(interval->low) : std::nullopt, 10),
                       cell(interval ? std::optional(interval->high) : std::nullopt, 10), level_at(one.shape, point.x),
                       point.tps.empty() ? "failed" : "measured", notes_of(point)});
        }
    return table;
}

std::string analyze_markdown(const Analysis& analysis) {
    std::string out = escape_markdown(analysis.finding) + "\n\n" + analyze_table(analysis).markdown();
    if (!analysis.not_shown.empty())
        out += "\nNot shown:\n";
    for (const std::string& text : analysis.not_shown)
        out += "- " + escape_markdown(text) + "\n";
    return out;
}

} // namespace snapscope::cli
