#include "duration_view.hpp"

#include "evidence.hpp"
#include "svg.hpp"

#include <snapscope/analyzer/histograms.hpp>
#include <snapscope/analyzer/metrics.hpp>
#include <snapscope/base/numbers.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace snapscope {
namespace {

constexpr double width = 720, height = 240, left = 44, right = 12, top = 12, bottom = 34;

// The histograms of the source that speaks for the run: by outcome where it
// tells them apart, else the one of all.
std::vector<const Histogram*> of_source(const Run& run, const std::string& source) {
    std::vector<const Histogram*> labelled;
    std::vector<const Histogram*> whole;
    for (const Histogram& histogram : run.histograms)
        if (histogram.name == "snapshot_duration" && histogram.source == source && histogram_count(histogram) > 0 &&
            histogram.bounds.size() == histogram.counts.size() + 1)
            (histogram.label.empty() ? whole : labelled).push_back(&histogram);
    return labelled.empty() ? whole : labelled;
}

std::string label_of(const Histogram& histogram) {
    std::string label = histogram.label.empty() ? "all" : histogram.label;
    std::replace(label.begin(), label.end(), '_', ' ');
    return label;
}

// The axis is one of doublings, which a bucket that begins at 0 has no place on.
double log_bound(const Histogram& histogram, std::size_t i) {
    const double first_positive =
        *std::find_if(histogram.bounds.begin(), histogram.bounds.end(), [](double bound) { return bound > 0; });
    return std::log2(std::max(histogram.bounds[i], first_positive / 2));
}

struct Range {
    double low = 0, high = 1;
};

// Doublings that hold anything, over all histograms.
Range occupied(const std::vector<const Histogram*>& histograms) {
    Range out{INFINITY, -INFINITY};
    for (const Histogram* histogram : histograms)
        for (std::size_t i = 0; i < histogram->counts.size(); ++i)
            if (histogram->counts[i] > 0) {
                out.low = std::min(out.low, std::floor(log_bound(*histogram, i)));
                out.high = std::max(out.high, std::ceil(log_bound(*histogram, i + 1)));
            }
    return out;
}

// Snapshots a doubling of duration, so that wide and narrow buckets compare.
double density(const Histogram& histogram, std::size_t i) {
    const double doublings = log_bound(histogram, i + 1) - log_bound(histogram, i);
    return doublings > 0 ? static_cast<double>(histogram.counts[i]) / doublings : 0;
}

std::string outline(const Histogram& histogram, const Scale& x, const Scale& y) {
    std::string path;
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
        const double from = log_bound(histogram, i);
        const double to = log_bound(histogram, i + 1);
        if (to <= x.low || from >= x.high)
            continue;
        if (path.empty())
            path = "M" + at(x(from)) + " " + at(y(0));
        path += "V" + at(y(density(histogram, i))) + "H" + at(x(to));
    }
    return path.empty() ? path : path + "V" + at(y(0));
}

void draw_axes(Html& html, const Scale& x, const Scale& y) {
    const double every = std::max(1.0, std::ceil((x.high - x.low) / 9));
    for (double power = x.low; power <= x.high; power += every) {
        html.single("path", {{"class", "grid"}, {"d", "M" + at(x(power)) + " " + at(top) + "V" + at(height - bottom)}});
        html.leaf("text", duration_text(std::exp2(power)),
                  {{"x", at(x(power))}, {"y", at(height - bottom + 16)}, {"class", "tick middle"}});
    }
    for (const int percent : {0, 25, 50, 75, 100}) {
        const double place = y(y.high * percent / 100);
        html.single("path", {{"class", "grid"}, {"d", "M" + at(left) + " " + at(place) + "H" + at(width - right)}});
        html.leaf("text", std::to_string(percent) + " %",
                  {{"x", at(left - 6)}, {"y", at(place + 4)}, {"class", "tick end"}});
    }
}

void draw(Html& html, const std::vector<const Histogram*>& histograms, const Histogram& whole,
          const std::optional<EvidenceKind>& kind) {
    const Range range = occupied(histograms);
    double highest = 0;
    for (const Histogram* histogram : histograms)
        for (std::size_t i = 0; i < histogram->counts.size(); ++i)
            highest = std::max(highest, density(*histogram, i));
    const Scale x{range.low, range.high, left, width - right};
    const Scale y{0, highest, height - bottom, top};
    const auto svg = html.element("svg", {{"class", "picture"},
                                          {"viewBox", "0 0 " + at(width) + " " + at(height)},
                                          {"role", "img"},
                                          {"aria-label", "Histogram of snapshot durations; its figures are in the "
                                                         "table below"}});
    draw_axes(html, x, y);
    for (const double q : {0.5, 0.99}) {
        const auto bucket = quantile_bounds(whole, q);
        if (!bucket || !(bucket->high > 0))
            continue;
        const double place = std::clamp(x(std::log2(bucket->high)), left, width - right);
        html.single("path",
                    {{"class", "quantile"}, {"d", "M" + at(place) + " " + at(top) + "V" + at(height - bottom)}});
        html.leaf("text", q == 0.5 ? "p50" : "p99", {{"x", at(place + 4)}, {"y", at(top + 10)}, {"class", "tick"}});
    }
    for (std::size_t i = 0; i < histograms.size(); ++i) {
        const auto path = html.element("path", {{"class", fmt::format("area s{} {}", i % 8 + 1, kind_word(kind))},
                                                {"d", outline(*histograms[i], x, y)}});
        html.leaf("title", label_of(*histograms[i]));
    }
}

void write_legend(Html& html, const std::vector<const Histogram*>& histograms, const Evidence& evidence) {
    const auto list = html.element("ul", {{"class", "legend"}});
    for (std::size_t i = 0; i < histograms.size(); ++i) {
        const auto item = html.element("li");
        {
            const auto svg =
                html.element("svg", {{"class", fmt::format("swatch area s{} {}", i % 8 + 1, kind_word(evidence.kind))},
                                     {"viewBox", "0 0 32 8"},
                                     {"aria-hidden", "true"}});
            html.single("path", {{"d", "M1 1H31V7H1Z"}});
        }
        html.isolated(label_of(*histograms[i])).text(" " + grouped(histogram_count(*histograms[i])));
        write_evidence(html, evidence);
    }
}

// One row a doubling: buckets finer than that are for the picture.
void write_table(Html& html, const std::vector<const Histogram*>& histograms) {
    const Folded folded(html, "Durations as a table");
    std::vector<std::string> columns{"from", "to"};
    for (const Histogram* histogram : histograms)
        columns.push_back("#" + label_of(*histogram));
    TableWriter table(html, "Snapshots by duration, buckets joined by doublings", columns);
    const Range range = occupied(histograms);
    for (double power = range.low; power < range.high; ++power) {
        std::vector<std::string> cells{duration_text(std::exp2(power)), duration_text(std::exp2(power + 1))};
        for (const Histogram* histogram : histograms) {
            std::uint64_t count = 0;
            for (std::size_t i = 0; i < histogram->counts.size(); ++i)
                if (const double from = log_bound(*histogram, i); from >= power && from < power + 1)
                    count += histogram->counts[i];
            cells.push_back(grouped(count));
        }
        table.row(cells);
    }
}

void write_quantiles(Html& html, const std::vector<const Histogram*>& histograms) {
    TableWriter table(html, "Where the percentiles lie: a bucket, never a false exact value",
                      {"outcome", "#snapshots", "#p50", "#p90", "#p99", "#p99.9", "#longest"});
    const auto between = [](const std::optional<Interval>& b) {
        return b ? duration_text(b->low) + " to " + duration_text(b->high) : std::string("cannot tell");
    };
    for (const Histogram* histogram : histograms)
        table.row({label_of(*histogram), grouped(histogram_count(*histogram)),
                   between(quantile_bounds(*histogram, 0.5)), between(quantile_bounds(*histogram, 0.9)),
                   between(quantile_bounds(*histogram, 0.99)), between(quantile_bounds(*histogram, 0.999)),
                   histogram->max ? duration_text(*histogram->max) : "cannot tell"});
}

} // namespace

void write_durations(Page& page, const Run& run, const std::string& id) {
    const Section section(page, id, "Duration of a snapshot",
                          "How long did it take, and did reused ones take less than rebuilt ones?");
    const auto whole = whole_histogram(run, "snapshot_duration");
    const auto histograms = whole ? of_source(run, whole->source) : std::vector<const Histogram*>{};
    if (histograms.empty()) {
        constexpr std::array<std::string_view, 2> from{"ring", "ebpf"};
        write_absent(page.html, run, "no source timed snapshots (the ring does so with --events)", from);
        return;
    }
    const Evidence evidence = evidence_of(run.sources, whole->source);
    Html& html = page.html;
    {
        const auto figure = html.element("figure");
        write_legend(html, histograms, evidence);
        draw(html, histograms, *whole, evidence.kind);
        html.leaf("figcaption",
                  "Across: duration, by doublings. Up: snapshots a doubling, as a share of the highest. The lines are "
                  "the upper bounds of the buckets of p50 and p99.",
                  {{"class", "note"}});
    }
    write_quantiles(html, histograms);
    write_table(html, histograms);
}

} // namespace snapscope
