#include "sweep_pictures.hpp"

#include "svg.hpp"

#include <snapscope/base/numbers.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace snapscope {
namespace {

constexpr double width = 860, left = 64, right = 16, top = 12, bottom = 34;
constexpr double high_picture = 320, low_picture = 150;

using Points = std::vector<std::pair<double, double>>;

std::string colour_class(std::size_t curve) {
    return fmt::format("s{}", curve % 8 + 1);
}

// From nothing, so that a height means what it seems to.
Scale from_zero(double high, double height) {
    return {0, high > 0 ? high * 1.05 : 1, height - bottom, top};
}

// Four forms of mark, so that curves are told apart without colour.
std::string form(std::size_t curve, double x, double y) {
    constexpr double r = 4;
    switch (curve % 4) {
    case 0:
        return fmt::format("M{} {}a{} {} 0 1 0 8 0a{} {} 0 1 0 -8 0", at(x - r), at(y), at(r), at(r), at(r), at(r));
    case 1:
        return fmt::format("M{} {}h7v7h-7z", at(x - 3.5), at(y - 3.5));
    case 2:
        return fmt::format("M{} {}l4.5 8h-9z", at(x), at(y - 5));
    default:
        return fmt::format("M{} {}l5 5l-5 5l-5 -5z", at(x), at(y - 5));
    }
}

Html::Element picture(Html& html, double height, const std::string& label) {
    return html.element("svg", {{"class", "picture"},
                                {"viewBox", "0 0 " + at(width) + " " + at(height)},
                                {"role", "img"},
                                {"aria-label", label}});
}

} // namespace

SweepPictures::SweepPictures(Html& html, const Analysis& analysis) : html_(html), analysis_(analysis) {
    low_ = std::numeric_limits<double>::max();
    high_ = std::numeric_limits<double>::lowest();
    for (const CurveAnalysis& one : analysis.curves)
        for (const CurvePoint& point : one.curve.points) {
            low_ = std::min(low_, point.x);
            high_ = std::max(high_, point.x);
        }
}

double SweepPictures::at_x(double x) const {
    return Scale{low_, high_, left + 8, width - right - 8}(x);
}

void SweepPictures::legend() const {
    const auto list = html_.element("ul", {{"class", "legend"}});
    for (std::size_t i = 0; i < analysis_.curves.size(); ++i) {
        const auto item = html_.element("li");
        {
            const auto svg = html_.element(
                "svg", {{"class", "swatch " + colour_class(i)}, {"viewBox", "0 0 32 12"}, {"aria-hidden", "true"}});
            html_.single("path", {{"class", "curve-mark"}, {"d", form(i, 16, 6)}});
        }
        const std::string name = analysis_.curves[i].curve.name();
        html_.isolated(name.empty() ? "every run" : name);
    }
}

void SweepPictures::axes(const Scale& y, double height) const {
    for (const double value : ticks(y.low, y.high, height > 200 ? 6 : 3)) {
        html_.single("path", {{"class", "grid"}, {"d", "M" + at(left) + " " + at(y(value)) + "H" + at(width - right)}});
        html_.leaf("text", axis_number(value), {{"class", "tick end"}, {"x", at(left - 6)}, {"y", at(y(value) + 4)}});
    }
    for (const double value : ticks(low_, high_, 10))
        html_.leaf("text", axis_number(value),
                   {{"class", "tick middle"}, {"x", at(at_x(value))}, {"y", at(height - bottom + 16)}});
    html_.leaf("text", analysis_.x, {{"class", "tick end"}, {"x", at(width - right)}, {"y", at(height - 4)}});
}

void SweepPictures::mark(std::size_t curve, double x, double y, const std::string& title, bool hollow) const {
    const auto group = html_.element("g", {{"class", colour_class(curve)}});
    html_.leaf("title", title);
    html_.single("path", {{"class", hollow ? "curve-mark hollow" : "curve-mark"}, {"d", form(curve, at_x(x), y)}});
}

void SweepPictures::line(std::size_t curve, const Points& points, const Scale& y) const {
    std::string path;
    for (const auto& [x, value] : points)
        path += (path.empty() ? "M" : "L") + at(at_x(x)) + " " + at(y(value));
    if (points.size() > 1)
        html_.single("path", {{"class", "curve " + colour_class(curve)}, {"d", path}});
}

// A band from the first to the last point of a region, and its level.
void SweepPictures::regions(const Scale& y) const {
    for (std::size_t i = 0; i < analysis_.curves.size(); ++i) {
        const Shape& shape = analysis_.curves[i].shape;
        if (shape.regions.size() < 2)
            continue;
        for (const Region& region : shape.regions) {
            const double from = at_x(region.from) - 5;
            const auto group = html_.element("g", {{"class", colour_class(i)}});
            html_.leaf("title", fmt::format("{}: {} from {} to {}, median {} tps", analysis_.curves[i].curve.name(),
                                            region.level, axis_number(region.from), axis_number(region.to),
                                            axis_number(region.median_tps)));
            html_.single("rect", {{"class", "region"},
                                  {"x", at(from)},
                                  {"y", at(y(region.median_tps))},
                                  {"width", at(at_x(region.to) + 5 - from)},
                                  {"height", at(y(0) - y(region.median_tps))}});
        }
    }
}

void SweepPictures::tps() const {
    double most = 0;
    for (const CurveAnalysis& one : analysis_.curves)
        for (const CurvePoint& point : one.curve.points)
            for (const auto* values : {&point.tps, &point.cold})
                for (const double value : *values)
                    most = std::max(most, value);
    const Scale y = from_zero(most, high_picture);
    const auto svg = picture(html_, high_picture,
                             "tps of every run across " + analysis_.x + "; the values are in the table of points");
    axes(y, high_picture);
    regions(y);
    for (std::size_t i = 0; i < analysis_.curves.size(); ++i) {
        Points medians;
        for (const CurvePoint& point : analysis_.curves[i].curve.points) {
            const std::string where = fmt::format("{} {}", analysis_.x, axis_number(point.x));
            if (const auto level = point.level())
                medians.emplace_back(point.x, *level);
            for (const double value : point.tps)
                mark(i, point.x, y(value), where + ": " + axis_number(value));
            for (const double value : point.cold)
                mark(i, point.x, y(value), where + ": " + axis_number(value) + ", cold and left out", true);
            if (point.tps.empty() && !point.failed.empty()) {
                const auto cross = html_.element("g", {{"class", "failed"}});
                html_.leaf("title", where + " failed: " + point.failed.front().reason);
                html_.single("path", {{"d", fmt::format("M{} {}l8 8m0 -8l-8 8", at(at_x(point.x) - 4), at(y(0) - 4))}});
            }
        }
        line(i, medians, y);
    }
}

void SweepPictures::metric(const std::string& name) const {
    std::vector<Points> curves;
    double most = 0;
    for (const CurveAnalysis& one : analysis_.curves) {
        Points& points = curves.emplace_back();
        for (const CurvePoint& point : one.curve.points)
            if (const auto found = point.metrics.find(name); found != point.metrics.end()) {
                points.emplace_back(point.x, found->second);
                most = std::max(most, found->second);
            }
    }
    const Scale y = from_zero(most, low_picture);
    const auto svg = picture(html_, low_picture, "medians of " + name + " across " + analysis_.x);
    axes(y, low_picture);
    for (std::size_t i = 0; i < curves.size(); ++i) {
        line(i, curves[i], y);
        for (const auto& [x, value] : curves[i])
            mark(i, x, y(value), fmt::format("{} {}: {}", analysis_.x, axis_number(x), axis_number(value)));
    }
}

void SweepPictures::change(const CurveComparison& comparison) const {
    double reach = 1;
    for (const ComparedPoint& point : comparison.points) {
        reach = std::max(reach, std::fabs(point.change.change_percent.value_or(0)));
        if (const auto& interval = point.change.interval_percent)
            reach = std::max({reach, std::fabs(interval->low), std::fabs(interval->high)});
    }
    const Scale y{-reach * 1.05, reach * 1.05, low_picture + 50 - bottom, top};
    const auto svg = picture(html_, low_picture + 50,
                             fmt::format("change of tps from {} to {} in percent across {}; the table has the values",
                                         comparison.base, comparison.other, analysis_.x));
    axes(y, low_picture + 50);
    html_.single("path", {{"class", "zero-line"}, {"d", "M" + at(left) + " " + at(y(0)) + "H" + at(width - right)}});
    for (const ComparedPoint& point : comparison.points) {
        if (!point.change.change_percent)
            continue;
        const std::string x = at(at_x(point.x));
        if (const auto& interval = point.change.interval_percent)
            html_.single("path", {{"class", "whisker"},
                                  {"d", "M" + x + " " + at(y(interval->low)) + "V" + at(y(interval->high))}});
        mark(0, point.x, y(*point.change.change_percent),
             fmt::format("{} {}: {:+.1f} %", analysis_.x, axis_number(point.x), *point.change.change_percent));
    }
}

void SweepPictures::dots(const std::string& what, const Dots& groups) const {
    double most = 0;
    for (const auto& [group, points] : groups)
        for (const auto& [x, value] : points)
            most = std::max(most, value);
    const Scale y = from_zero(most, low_picture);
    const auto svg = picture(html_, low_picture, what + " across " + analysis_.x);
    axes(y, low_picture);
    for (const auto& [group, points] : groups) {
        const auto same = [&name = group](const CurveAnalysis& one) { return one.curve.name() == name; };
        const auto curve = std::find_if(analysis_.curves.begin(), analysis_.curves.end(), same);
        for (const auto& [x, value] : points)
            mark(static_cast<std::size_t>(curve - analysis_.curves.begin()), x, y(value),
                 fmt::format("{} {}, {}: {}", analysis_.x, axis_number(x), group, axis_number(value)));
    }
}

} // namespace snapscope
