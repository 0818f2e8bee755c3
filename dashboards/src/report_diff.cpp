#include "diff_pictures.hpp"
#include "diff_samples.hpp"
#include "evidence.hpp"
#include "page.hpp"
#include "summary_view.hpp"

#include <snapscope/analyzer/words.hpp>
#include <snapscope/base/numbers.hpp>
#include <snapscope/dashboards/report.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {
namespace {

// A verdict has a shape of its own: up, down, level, or nothing to judge by.
const char* verdict_sign(const MetricDiff& metric) {
    switch (metric.comparison.verdict) {
    case Verdict::higher:
        return "\u25B2 ";
    case Verdict::lower:
        return "\u25BC ";
    case Verdict::no_difference_shown:
        return "\u25AC ";
    case Verdict::too_few_runs:
        break;
    }
    return "\u25CB ";
}

std::string verdict_text(const MetricDiff& metric) {
    const char* judged = metric.regression()     ? ", worse"
                         : metric.improvement()  ? ", better"
                         : metric.within_floor() ? ", within the A/A floor"
                                                 : "";
    return std::string(verdict_sign(metric)) + to_string(metric.comparison.verdict) + judged;
}

// A share has no unit to write.
std::string shown_unit(const MetricDiff& metric) {
    return metric.unit == "1" ? "" : metric.unit;
}

std::string missing_text(const Comparison& c) {
    if (c.missing_pairs > 0)
        return fmt::format("{} pairs are missing", c.missing_pairs);
    return fmt::format("{} runs of base and {} of new are missing", c.missing_base, c.missing_new);
}

std::string side_text(const SideSummary& side) {
    return side.ci95 ? fmt::format("{} to {}", number(side.ci95->low, 5), number(side.ci95->high, 5))
                     : fmt::format("needs 6 runs, has {}", side.n);
}

void write_row(Html& html, const MetricDiff& metric, const Samples& samples, double reach) {
    const Comparison& c = metric.comparison;
    const auto row = html.element("tr", {{"class", metric.regression()    ? "worse"
                                                   : metric.improvement() ? "better"
                                                                          : "same"}});
    {
        const auto head = html.element("th", {{"scope", "row"}});
        html.isolated(label_of(metric));
        html.text(" ").leaf("small", shown_unit(metric));
        for (const Evidence& evidence : samples.evidence)
            write_evidence(html, evidence);
    }
    for (const SideSummary* side : {&metric.base, &metric.other}) {
        const auto cell = html.element("td", {{"class", "n"}});
        html.leaf("data", number(side->median, 5), {{"value", fmt::format("{}", side->median)}});
        html.leaf("small", side_text(*side), {{"class", "faint block"}});
    }
    html.leaf("td", change_text(c, shown_unit(metric)), {{"class", "n strong"}});
    if (c.p_value) {
        const auto cell = html.element("td", {{"class", "n"}});
        html.text(interval_text(c, shown_unit(metric)));
        if (metric.floor && metric.floor->percent)
            html.leaf("small", fmt::format("A/A floor {} %", number(*metric.floor->percent, 3)),
                      {{"class", "faint block"}});
    } else {
        const auto cell = html.element("td", {{"class", "t hatch"}});
        html.leaf("b", "unavailable").text(": " + missing_text(c));
    }
    {
        const auto cell = html.element("td");
        draw_interval(html, metric, reach);
    }
    html.leaf("td", p_value_text(c), {{"class", "n"}});
    html.leaf("td", verdict_text(metric), {{"class", "verdict-cell"}});
}

void write_metrics(Page& page, const DiffReport& report) {
    const Section section(page, "metrics", "Every metric", "Which figures differ, by how much, and how sure is that?");
    Html& html = page.html;
    const double reach = widest_change(report.diff);
    const auto box = html.element(
        "div", {{"class", "scroll"}, {"role", "region"}, {"tabindex", "0"}, {"aria-label", "Every metric"}});
    const auto table = html.element("table", {{"class", "metrics"}});
    html.leaf("caption", fmt::format("Medians with their 95 % intervals; change is the Hodges-Lehmann estimate. The "
                                     "axis of the pictures reaches {} % to either side, by square roots.",
                                     number(reach, 3)));
    {
        const auto head = html.element("thead");
        const auto row = html.element("tr");
        html.leaf("th", "metric", {{"scope", "col"}});
        for (const char* column : {"base", "new", "change", "95 % interval"})
            html.leaf("th", column, {{"scope", "col"}, {"class", "n"}});
        html.leaf("th", "as a picture", {{"scope", "col"}});
        html.leaf("th", "p", {{"scope", "col"}, {"class", "n"}});
        html.leaf("th", "verdict", {{"scope", "col"}});
    }
    for (const MetricDiff& metric : report.diff.metrics)
        write_row(html, metric, samples_of(report, metric), reach);
}

void write_distributions(Page& page, const DiffReport& report) {
    const Section section(page, "distributions", "Run by run",
                          report.diff.paired ? "Does each pair change the same way, and how are the values spread?"
                                             : "How are the values of either side spread?");
    Html& html = page.html;
    html.leaf("p",
              report.diff.paired ? "A line joins the two runs of a round: solid where the new one is higher, dashed "
                                   "where it is lower. Circles are base, squares new; boxes are quartiles."
                                 : "Circles are base, squares new; boxes are quartiles, whiskers the extremes.",
              {{"class", "faint"}});
    const auto grid = html.element("div", {{"class", "panels"}});
    for (const MetricDiff& metric : report.diff.metrics) {
        const auto figure = html.element("figure", {{"class", "panel"}});
        {
            const auto caption = html.element("figcaption");
            html.isolated(label_of(metric)).text(" ").leaf("small", shown_unit(metric));
            html.leaf("span", verdict_text(metric), {{"class", "right"}});
        }
        draw_samples(html, metric, samples_of(report, metric));
    }
}

// Each once, whatever the number of workloads.
std::vector<std::string> metric_names(const Diff& diff) {
    std::vector<std::string> out;
    for (const MetricDiff& metric : diff.metrics)
        if (std::find(out.begin(), out.end(), metric.name) == out.end())
            out.push_back(metric.name);
    return out;
}

void add_runs(TableWriter& table, const DiffReport& report, const std::vector<Measurement>& side, const char* name) {
    for (const Measurement& m : side) {
        std::vector<std::string> cells{m.label,
                                       name,
                                       m.pairing ? std::to_string(m.pairing->round) : "none",
                                       m.snapshot_cache.empty() ? "cannot tell" : m.snapshot_cache,
                                       m.finished ? "yes" : "no",
                                       grouped(m.lost)};
        for (const std::string& metric : metric_names(report.diff)) {
            const auto value = m.values.find(metric);
            cells.push_back(value == m.values.end() ? "absent" : number(value->second.value, 6));
        }
        table.row(cells);
    }
}

void write_runs(Page& page, const DiffReport& report) {
    const Section section(page, "runs", "The runs", "What was compared, and with what?");
    std::vector<std::string> columns{"run", "side", "#round", "mode", "finished", "#lost"};
    for (const std::string& metric : metric_names(report.diff))
        columns.push_back("#" + metric);
    TableWriter table(page.html, "Every run with its figures", columns);
    add_runs(table, report, report.base, "base");
    add_runs(table, report, report.other, "new");
}

} // namespace

std::string report_diff(const DiffReport& report, const std::string& tool) {
    Page page;
    const Diff& diff = report.diff;
    page.html.leaf("h1", "Base against new");
    page.html.leaf("p", headline(diff.metrics.front()), {{"class", "verdict"}});
    page.html.leaf("p",
                   fmt::format("{}, {} of base against {} of new, level 0.05 for each metric", diff.test,
                               diff.base.size(), diff.other.size()),
                   {{"class", "faint"}});
    write_warnings(page, diff.warnings);
    write_metrics(page, report);
    write_distributions(page, report);
    write_runs(page, report);
    write_evidence_legend(page.html);
    const auto title = fmt::format("{} of base against {} of new", diff.base.size(), diff.other.size());
    return finish_page(std::move(page), report_frame(title, tool));
}

} // namespace snapscope
