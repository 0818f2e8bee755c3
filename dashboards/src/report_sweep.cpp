#include "evidence.hpp"
#include "page.hpp"
#include "summary_view.hpp"
#include "sweep_pictures.hpp"

#include <snapscope/analyzer/words.hpp>
#include <snapscope/base/numbers.hpp>
#include <snapscope/dashboards/sweep_report.hpp>

#include <algorithm>
#include <set>

namespace snapscope {
namespace {

constexpr std::size_t drawn_metrics = 12;

std::string joined(const std::vector<double>& values) {
    std::string out;
    for (const double value : values)
        out += (out.empty() ? "" : ", ") + axis_number(value);
    return out.empty() ? "none" : out;
}

// The group of a sweep with one curve has no name.
std::string named(const std::string& group) {
    return group.empty() ? "every run" : group;
}

std::string notes_of(const CurvePoint& point) {
    std::string out;
    for (const FailedRun& run : point.failed)
        out += (out.empty() ? "" : "; ") + run.label + " failed: " + run.reason;
    if (!point.cold.empty())
        out += (out.empty() ? "" : "; ") + ("cold and left out: " + joined(point.cold));
    for (const std::string& flag : point.flags)
        out += (out.empty() ? "" : "; ") + flag;
    return out;
}

void write_list(Html& html, const std::vector<std::string>& items) {
    const auto list = html.element("ul");
    for (const std::string& item : items) {
        const auto entry = html.element("li");
        html.isolated(item);
    }
}

void write_unavailable(Html& html, std::string_view why) {
    const auto box = html.element("div", {{"class", "absent"}});
    const auto line = html.element("p");
    html.leaf("b", "unavailable").text(": ").text(why);
}

void write_curves(Page& page, const SweepPictures& pictures, const Analysis& analysis) {
    const Section section(page, "tps", "Throughput across " + analysis.x,
                          "How does tps change with " + analysis.x +
                              ", in which regions, and how far do repeats lie apart?");
    pictures.legend();
    pictures.tps();
    page.html.leaf("p",
                   "Every mark is a run, lines join medians; a filled band is a region of one level; a hollow mark "
                   "was cold and left out; a cross is a point that failed and is no zero.",
                   {{"class", "faint"}});
    for (const CurveAnalysis& one : analysis.curves) {
        const Shape& shape = one.shape;
        const auto line = page.html.element("p");
        page.html.isolated(named(one.curve.name()));
        page.html.text(fmt::format(": {}; highest {} at {}, lowest {} at {}", to_string(shape.form),
                                   axis_number(shape.highest_tps), axis_number(shape.highest_x),
                                   axis_number(shape.lowest_tps), axis_number(shape.lowest_x)));
        page.html.text(shape.noise
                           ? fmt::format("; repeats differ by {} % (standard deviation)", number(100 * *shape.noise, 3))
                           : std::string("; no repeats, so nobody knows how far they would differ"));
    }
    const Folded folded(page.html, "Points as a table");
    TableWriter table(page.html, "Every point, with the tps of every run",
                      {analysis.x, "group", "#runs", "#median tps", "#tps of each run", "notes"});
    for (const CurveAnalysis& one : analysis.curves)
        for (const CurvePoint& point : one.curve.points)
            table.row({axis_number(point.x), named(one.curve.name()), std::to_string(point.tps.size()),
                       point.level() ? axis_number(*point.level()) : "none", joined(point.tps), notes_of(point)});
}

void write_comparisons(Page& page, const SweepPictures& pictures, const Analysis& analysis) {
    const Section section(
        page, "compared", "Cached against uncached",
        "Where does one mode differ from the other, by how much, and does the swing go with the cache?");
    if (analysis.comparisons.empty()) {
        write_unavailable(page.html, "the sweep has one curve only; --mode off,copy makes two");
        return;
    }
    for (const NaturalExperiment& natural : analysis.natural)
        page.html.leaf("p", natural.words);
    for (const CurveComparison& comparison : analysis.comparisons) {
        const std::string title = fmt::format("{}: {} against {}{}", comparison.key, comparison.other, comparison.base,
                                              comparison.group.empty() ? "" : " (" + comparison.group + ")");
        page.html.leaf("h4", title);
        pictures.change(comparison);
        TableWriter table(page.html, "Change of tps, " + title,
                          {analysis.x, "#median of " + comparison.base, "#median of " + comparison.other, "#change",
                           "#95 % interval", "verdict"});
        for (const ComparedPoint& point : comparison.points)
            table.row({axis_number(point.x), axis_number(point.base), axis_number(point.other),
                       change_text(point.change, "1/s"),
                       point.change.interval_percent ? interval_text(point.change, "1/s") : "too few runs",
                       to_string(point.change.verdict)});
        for (const Interval& crossover : comparison.crossovers)
            page.html.leaf("p", fmt::format("The sign turns between {} and {}.", axis_number(crossover.low),
                                            axis_number(crossover.high)));
    }
}

// Those that go with tps first, then the others by name.
std::vector<std::string> metrics_of(const Analysis& analysis) {
    std::vector<std::string> out;
    std::set<std::string> known;
    for (const Association& one : analysis.associations)
        if (known.insert(one.metric).second)
            out.push_back(one.metric);
    for (const CurveAnalysis& one : analysis.curves)
        for (const CurvePoint& point : one.curve.points)
            for (const auto& [name, value] : point.metrics)
                if (known.insert(name).second)
                    out.push_back(name);
    return out;
}

void write_associations(Page& page, const SweepPictures& pictures, const SweepReport& report) {
    const Analysis& analysis = report.analysis;
    const Section section(page, "associations", "What goes with tps",
                          "Which metric changes as tps does, could x alone explain it, and is it shown or by chance?");
    const auto metrics = metrics_of(analysis);
    if (metrics.empty()) {
        write_unavailable(page.html, "the runs hold tps alone; sweep with sources, or give a table with more columns");
        return;
    }
    if (!analysis.associations.empty()) {
        TableWriter table(
            page.html, "Rank correlation of tps with each metric over the points",
            {"metric", "evidence", "of", "#rho", "#95 % interval", "#p (Holm)", "#x held fixed", "#points", "says"});
        for (const Association& one : analysis.associations) {
            const auto& interval = one.correlation.interval95;
            table.row({one.metric + (one.per_transaction ? " per transaction" : ""), one.kind, named(one.group),
                       fmt::format("{:+.2f}", one.correlation.rho),
                       interval ? fmt::format("{:+.2f} to {:+.2f}", interval->low, interval->high) : "cannot tell",
                       fmt::format("{:.4f}", one.p_holm),
                       one.partial_rho ? fmt::format("{:+.2f}", *one.partial_rho) : "cannot tell",
                       std::to_string(one.correlation.n),
                       !one.by_construction.empty() ? one.by_construction
                       : one.shown()                ? "goes with tps"
                                                    : "not shown"});
        }
        page.html.leaf("p", "An association is no cause.", {{"class", "faint"}});
    }
    pictures.legend();
    for (std::size_t i = 0; i < std::min(metrics.size(), drawn_metrics); ++i) {
        const auto kind = report.kinds.find(metrics[i]);
        const auto figure = page.html.element("figure", {{"class", "panel"}});
        {
            const auto caption = page.html.element("figcaption");
            page.html.isolated(metrics[i]).text(" ").leaf("small", kind == report.kinds.end() ? "" : kind->second);
        }
        pictures.metric(metrics[i]);
    }
    if (metrics.size() > drawn_metrics)
        page.html.leaf("p",
                       fmt::format("{} more are in snapscope analyze --format json.", metrics.size() - drawn_metrics),
                       {{"class", "faint"}});
}

void write_layouts(Page& page, const SweepPictures& pictures, const SweepReport& report) {
    const Section section(
        page, "layout", "Where the arrays lay",
        "At which byte of its cache line did each array begin, how many entries lie on two lines, and "
        "does that change with " +
            report.analysis.x + "?");
    if (report.layouts.empty()) {
        write_unavailable(page.html, "no run of this sweep says where its arrays lay; the source ring of a patched "
                                     "server does");
        return;
    }
    std::map<std::string, SweepPictures::Dots> residues;
    for (const SweepLayout& layout : report.layouts)
        for (const Array& array : layout.arrays)
            residues[array.name][layout.group].emplace_back(layout.x, static_cast<double>(array.address % 64));
    for (const auto& [name, dots] : residues) {
        const auto figure = page.html.element("figure", {{"class", "panel"}});
        {
            const auto caption = page.html.element("figcaption");
            page.html.isolated(name).text(" ").leaf("small", "byte of the line at which it begins");
        }
        pictures.dots(name + ": byte of the line at which it begins", dots);
    }
    const Folded folded(page.html, "Layouts as a table");
    TableWriter table(page.html, "Where the arrays lay at each point",
                      {report.analysis.x, "group", "array", "#begins at byte of its line", "#bytes an entry", "#lines",
                       "#entries on two lines"});
    for (const SweepLayout& layout : report.layouts)
        for (const Array& array : layout.arrays)
            table.row({axis_number(layout.x), named(layout.group), array.name, std::to_string(array.address % 64),
                       grouped(array.stride_bytes), grouped(array.lines), grouped(array.straddling_entries)});
}

} // namespace

std::string report_sweep(const SweepReport& report, const std::string& tool) {
    Page page;
    const Analysis& analysis = report.analysis;
    page.html.leaf("h1", "What this sweep says about snapshots");
    {
        const auto title = page.html.element("h2");
        page.html.isolated(report.label);
    }
    page.html.leaf("p", analysis.finding, {{"class", "verdict finding"}});
    write_warnings(page, analysis.warnings);
    if (!analysis.not_shown.empty()) {
        const Section section(page, "not-shown", "Not shown", "What does this sweep not say, and what would?");
        write_list(page.html, analysis.not_shown);
    }
    const SweepPictures pictures(page.html, analysis);
    write_curves(page, pictures, analysis);
    write_comparisons(page, pictures, analysis);
    write_associations(page, pictures, report);
    write_layouts(page, pictures, report);
    write_evidence_legend(page.html);
    return finish_page(std::move(page), report_frame(report.label, tool));
}

} // namespace snapscope
