// The shape of a curve of tps over x: what it is, and what it is not.
#pragma once

#include <snapscope/analyzer/curve.hpp>

#include <optional>
#include <string>
#include <vector>

namespace snapscope {

enum class Form {
    too_few_points, // fewer than three
    flat,           // no level differs from another beyond noise
    rising,
    falling,
    peaked, // rises to a peak, falls beyond
    regions // anything else: several regions
};
[[nodiscard]] const char* to_string(Form form);

struct Region {
    double from = 0, to = 0;
    std::string level; // high, middle, low: by where its median lies in the range of all regions (thirds of its log)
    double median_tps = 0;
    std::size_t points = 0;
};

struct Shape {
    Form form = Form::too_few_points;
    bool monotonic = false;
    std::vector<Region> regions;
    double regions_p_value = 1; // that a flat curve splits so well
    double swing = 1;           // highest over lowest level
    double highest_x = 0, highest_tps = 0, lowest_x = 0, lowest_tps = 0;
    double fall_from_peak_percent = 0; // from the highest level to the last x
    bool peak_at_end = false;          // the highest level is at the last x: it may still rise
    // How well a straight line of tps over x does, and whether it describes the
    // curve: the curve is monotonic, and the line's residuals are no worse than
    // noise (lack-of-fit test; Draper & Smith, Applied Regression Analysis,
    // 2.2) or, without repeats, than those of the regions (BIC).
    double line_r2 = 0;
    bool line_describes = false;
    // Standard deviation of log tps of repeats at one x, pooled; null without repeats.
    std::optional<double> noise;
    std::size_t noise_df = 0;
};

// Without repeats, a reversal below this share is taken for noise.
inline constexpr double assumed_noise = 0.02;

[[nodiscard]] Shape shape_of(const Curve& curve);

} // namespace snapscope
