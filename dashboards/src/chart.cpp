#include "chart.hpp"

#include "evidence.hpp"

#include <snapscope/base/numbers.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::size_t table_rows = 24; // of the table over time

// Of the values that are there.
struct Extent {
    std::size_t known = 0;
    double sum = 0, low = 0, high = 0;
};

Extent extent(const std::vector<std::optional<double>>& values, std::size_t first, std::size_t last) {
    Extent out;
    for (std::size_t i = first; i < last; ++i) {
        if (!values[i] || !std::isfinite(*values[i]))
            continue;
        out.low = out.known == 0 ? *values[i] : std::min(out.low, *values[i]);
        out.high = out.known == 0 ? *values[i] : std::max(out.high, *values[i]);
        out.sum += *values[i];
        ++out.known;
    }
    return out;
}

std::string mean_text(const Extent& e) {
    return e.known > 0 ? number(e.sum / static_cast<double>(e.known)) : "absent";
}

std::string with_unit(const std::string& label, const std::string& unit) {
    return unit.empty() ? label : label + " (" + unit + ")";
}

template <class T> std::vector<T> from(const std::vector<T>& values, std::size_t first) {
    return {values.begin() + static_cast<std::ptrdiff_t>(first), values.end()};
}

std::string seconds(std::int64_t ns, std::int64_t origin_ns) {
    return fmt::format("{:.1f}", (static_cast<double>(ns) - static_cast<double>(origin_ns)) / 1e9);
}

} // namespace

Charts::Charts(Page& page, const Run& run, std::size_t drawn_from) : page_(page), run_(run), drawn_from_(drawn_from) {
    Windows drawn;
    drawn.start_ns = from(run.windows.start_ns, drawn_from);
    drawn.end_ns = from(run.windows.end_ns, drawn_from);
    plan_ = plan_buckets(drawn);
    times_ = page.pack.f64(point_times(drawn, plan_, run.clock.start_ns));
}

std::string Charts::note() const {
    if (plan_.every_window)
        return "";
    return fmt::format("{} windows are drawn as {} buckets of up to {}: of each the least and the greatest value, so "
                       "every spike is there",
                       grouped(run_.windows.start_ns.size()), grouped(plan_.buckets.size()), grouped(plan_.largest));
}

void Charts::write_panel(const Panel& panel, std::size_t number) {
    Html& html = page_.html;
    const auto figure = html.element(
        "figure", {{"class", panel.small ? "panel small" : "panel"}, {"data-panel", std::to_string(number)}});
    {
        const auto caption = html.element("figcaption");
        html.isolated(panel.title).text(" ").leaf("small", panel.unit);
    }
    const auto legend = html.element("ul", {{"class", "legend"}});
    for (std::size_t i = 0; i < panel.lines.size(); ++i) {
        const Evidence evidence = evidence_of(run_.sources, panel.lines[i].source);
        const auto item = html.element("li");
        {
            const auto svg =
                html.element("svg", {{"class", fmt::format("swatch s{} {}", i % 8 + 1, kind_word(evidence.kind))},
                                     {"viewBox", "0 0 32 8"},
                                     {"aria-hidden", "true"}});
            html.single("path", {{"d", "M0 4H32"}});
        }
        html.isolated(panel.lines[i].label);
        write_evidence(html, evidence);
    }
}

void Charts::write_tables(const std::vector<Panel>& panels) {
    Html& html = page_.html;
    const Folded folded(html, "These series as tables");
    const std::size_t rows = run_.windows.start_ns.size();
    std::vector<std::string> columns{"from s", "#to s"};
    {
        TableWriter table(
            html, "Each series over the whole run",
            {"series", "unit", "evidence", "#mean", "#least", "#greatest", "#windows", "#of them absent"});
        for (const Panel& panel : panels) {
            for (const Line& line : panel.lines) {
                columns.push_back("#" + with_unit(line.label, panel.unit));
                const Extent e = extent(line.values, 0, rows);
                table.row({line.label, panel.unit, evidence_text(evidence_of(run_.sources, line.source)), mean_text(e),
                           e.known > 0 ? number(e.low) : "absent", e.known > 0 ? number(e.high) : "absent",
                           grouped(rows), grouped(rows - e.known)});
            }
        }
    }
    TableWriter table(html, "Means over parts of the run", columns);
    const std::size_t parts = std::min(rows, table_rows);
    for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t first = part * rows / parts;
        const std::size_t last = (part + 1) * rows / parts;
        std::vector<std::string> cells{seconds(run_.windows.start_ns[first], run_.clock.start_ns),
                                       seconds(run_.windows.end_ns[last - 1], run_.clock.start_ns)};
        for (const Panel& panel : panels)
            for (const Line& line : panel.lines)
                cells.push_back(mean_text(extent(line.values, first, last)));
        table.row(cells);
    }
}

void Charts::write(const std::vector<Panel>& panels) {
    nlohmann::json drawn = nlohmann::json::array();
    for (const Panel& panel : panels) {
        nlohmann::json lines = nlohmann::json::array();
        for (const Line& line : panel.lines)
            lines.push_back({{"label", line.label},
                             {"kind", kind_word(evidence_of(run_.sources, line.source).kind)},
                             {"source", line.source},
                             {"y", page_.pack.f32(point_values(from(line.values, drawn_from_), plan_))}});
        drawn.push_back({{"title", panel.title}, {"unit", panel.unit}, {"small", panel.small}, {"lines", lines}});
    }
    const auto number = page_.add_view({{"view", "series"}, {"x", times_}, {"panels", drawn}});
    {
        const auto charts = page_.html.element("div", {{"class", "panels"}, {"data-view", number}});
        for (std::size_t i = 0; i < panels.size(); ++i)
            write_panel(panels[i], i);
    }
    if (const std::string said = note(); !said.empty())
        page_.html.leaf("p", said, {{"class", "faint"}});
    write_tables(panels);
}

} // namespace snapscope
