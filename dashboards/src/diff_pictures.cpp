#include "diff_pictures.hpp"

#include "svg.hpp"

#include <snapscope/analyzer/statistics.hpp>
#include <snapscope/analyzer/words.hpp>
#include <snapscope/base/numbers.hpp>

#include <algorithm>
#include <cmath>

namespace snapscope {
namespace {

constexpr double interval_width = 220, interval_height = 24;
constexpr double width = 340, height = 220, top = 14, bottom = 30;
constexpr double base_x = 110, new_x = 260, box_offset = 26;

const char* tone_of(const MetricDiff& metric) {
    return metric.regression() ? "worse" : metric.improvement() ? "better" : "same";
}

std::vector<double> values_of(const std::vector<SampleValue>& samples) {
    std::vector<double> out;
    out.reserve(samples.size());
    for (const SampleValue& sample : samples)
        out.push_back(sample.value);
    return out;
}

// Quartiles as a box, the median as its thick line, whiskers to the extremes.
void draw_box(Html& html, const std::vector<double>& values, double x, const Scale& y, const char* side) {
    const auto q1 = quantile(values, 0.25);
    const auto q2 = median(values);
    const auto q3 = quantile(values, 0.75);
    if (!q1 || !q2 || !q3)
        return;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    html.single("path", {{"class", "whisker"}, {"d", "M" + at(x) + " " + at(y(*low)) + "V" + at(y(*high))}});
    html.single("rect", {{"class", std::string("box ") + side},
                         {"x", at(x - 9)},
                         {"y", at(y(*q3))},
                         {"width", "18"},
                         {"height", at(std::max(1.0, y(*q1) - y(*q3)))}});
    html.single("path", {{"class", "median"}, {"d", "M" + at(x - 9) + " " + at(y(*q2)) + "H" + at(x + 9)}});
}

// Base is a circle, new a square: told apart without colour, too.
void draw_mark(Html& html, const SampleValue& sample, double x, double y, bool base) {
    const auto group = html.element("g", {{"class", base ? "mark-base" : "mark-new"}});
    html.leaf("title", sample.label + ": " + number(sample.value, 6));
    if (base)
        html.single("circle", {{"cx", at(x)}, {"cy", at(y)}, {"r", "4"}});
    else
        html.single("rect", {{"x", at(x - 3.5)}, {"y", at(y - 3.5)}, {"width", "7"}, {"height", "7"}});
}

// Unpaired marks side by side, so that equal values stay visible.
double spread(std::size_t i, std::size_t n, bool paired) {
    return paired || n < 2 ? 0 : (static_cast<double>(i % 5) - 2) * 4;
}

void draw_axis(Html& html, const Scale& y) {
    for (const double value : ticks(y.low, y.high, 5)) {
        html.single("path", {{"class", "grid"}, {"d", "M58 " + at(y(value)) + "H" + at(width - 8)}});
        html.leaf("text", fmt::format("{:.6g}", value), {{"x", "52"}, {"y", at(y(value) + 4)}, {"class", "tick end"}});
    }
    html.leaf("text", "base", {{"x", at(base_x)}, {"y", at(height - 10)}, {"class", "tick middle"}});
    html.leaf("text", "new", {{"x", at(new_x)}, {"y", at(height - 10)}, {"class", "tick middle"}});
}

// With some room on both sides; where all is 0, from 0 up: nothing lies below it.
Scale around(double low, double high) {
    if (low == 0 && high == 0)
        return {0, 1, height - bottom, top};
    const double margin = high > low ? (high - low) * 0.06 : std::fabs(high) * 0.05;
    return {low - margin, high + margin, height - bottom, top};
}

} // namespace

double widest_change(const Diff& diff) {
    double reach = 1;
    for (const MetricDiff& metric : diff.metrics) {
        if (metric.comparison.change_percent)
            reach = std::max(reach, std::fabs(*metric.comparison.change_percent));
        if (const auto& ci = metric.comparison.interval_percent)
            reach = std::max({reach, std::fabs(ci->low), std::fabs(ci->high)});
    }
    return reach;
}

void draw_interval(Html& html, const MetricDiff& metric, double reach) {
    const Comparison& c = metric.comparison;
    if (!c.change_percent)
        return;
    // Signed roots: a change of 2 % is seen beside one of 200 %.
    const Scale x{-std::sqrt(reach), std::sqrt(reach), 8, interval_width - 8};
    const auto place = [&](double percent) { return at(x(std::copysign(std::sqrt(std::fabs(percent)), percent))); };
    const auto svg =
        html.element("svg", {{"class", std::string("interval ") + tone_of(metric)},
                             {"viewBox", "0 0 " + at(interval_width) + " " + at(interval_height)},
                             {"role", "img"},
                             {"aria-label", change_text(c, metric.unit) + ", 95 % interval " +
                                                (c.interval_percent ? interval_text(c, metric.unit) : "not known")}});
    html.single("path", {{"class", "zero"}, {"d", "M" + place(0) + " 2V22"}});
    if (const auto& ci = c.interval_percent)
        html.single("path", {{"class", "reach"},
                             {"d", "M" + place(ci->low) + " 6V18M" + place(ci->low) + " 12H" + place(ci->high) + "M" +
                                       place(ci->high) + " 6V18"}});
    html.single("circle", {{"cx", place(*c.change_percent)}, {"cy", "12"}, {"r", "4"}});
}

void draw_samples(Html& html, const MetricDiff& metric, const Samples& samples) {
    const auto base = values_of(samples.base);
    const auto other = values_of(samples.other);
    if (base.empty() || other.empty())
        return;
    const auto [base_low, base_high] = std::minmax_element(base.begin(), base.end());
    const auto [new_low, new_high] = std::minmax_element(other.begin(), other.end());
    const double low = std::min(*base_low, *new_low);
    const double high = std::max(*base_high, *new_high);
    const Scale y = around(low, high);
    const bool paired = !samples.pairs.empty();
    const auto svg =
        html.element("svg", {{"class", "picture samples"},
                             {"viewBox", "0 0 " + at(width) + " " + at(height)},
                             {"role", "img"},
                             {"aria-label", label_of(metric) + " of every run, base and new; the values are in "
                                                               "the table of runs"}});
    draw_axis(html, y);
    for (const auto& [b, n] : samples.pairs) {
        const double change = samples.other[n].value - samples.base[b].value;
        const auto line = html.element("path", {{"class", change > 0   ? "pair up"
                                                          : change < 0 ? "pair down"
                                                                       : "pair"},
                                                {"d", "M" + at(base_x) + " " + at(y(samples.base[b].value)) + "L" +
                                                          at(new_x) + " " + at(y(samples.other[n].value))}});
        html.leaf("title", samples.base[b].label + " to " + samples.other[n].label);
    }
    draw_box(html, base, base_x - box_offset, y, "mark-base");
    draw_box(html, other, new_x + box_offset, y, "mark-new");
    for (std::size_t i = 0; i < samples.base.size(); ++i)
        draw_mark(html, samples.base[i], base_x + spread(i, samples.base.size(), paired), y(samples.base[i].value),
                  true);
    for (std::size_t i = 0; i < samples.other.size(); ++i)
        draw_mark(html, samples.other[i], new_x + spread(i, samples.other.size(), paired), y(samples.other[i].value),
                  false);
}

} // namespace snapscope
