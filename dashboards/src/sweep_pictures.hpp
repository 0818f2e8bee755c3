// Pictures of a sweep that need no script; all of them have the same x axis, so
// that what stands below each other is of the same point.
#pragma once

#include "html.hpp"
#include "svg.hpp"

#include <snapscope/analyzer/analysis.hpp>

#include <map>
#include <string>
#include <vector>

namespace snapscope {

// The curves of one sweep: each has a colour and a mark of its own.
class SweepPictures {
  public:
    SweepPictures(Html& html, const Analysis& analysis);

    void legend() const;
    // Every repeat a mark, medians joined, regions as bands, failed points as crosses on the axis.
    void tps() const;
    // Medians of a metric; nothing where no point has it.
    void metric(const std::string& name) const;
    // How far the second curve of a comparison lies from the first, with intervals.
    void change(const CurveComparison& comparison) const;
    // Values of a few groups, e.g. where an array begins in its line.
    using Dots = std::map<std::string, std::vector<std::pair<double, double>>>; // group -> x, y
    void dots(const std::string& what, const Dots& groups) const;

  private:
    void axes(const Scale& y, double height) const;
    void mark(std::size_t curve, double x, double y, const std::string& title, bool hollow = false) const;
    void line(std::size_t curve, const std::vector<std::pair<double, double>>& points, const Scale& y) const;
    void regions(const Scale& y) const;
    [[nodiscard]] double at_x(double x) const;

    Html& html_;
    const Analysis& analysis_;
    double low_ = 0, high_ = 1; // of x
};

} // namespace snapscope
