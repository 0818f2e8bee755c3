// Small pictures that need no script: scales, and coordinates as text.
#pragma once

#include "html.hpp"

#include <fmt/format.h>
#include <string>
#include <vector>

namespace snapscope {

// A coordinate: two decimals are a hundredth of a pixel.
[[nodiscard]] inline std::string at(double value) {
    return fmt::format("{:.2f}", value);
}

// A value as an axis and a title write it: no digit more than it has.
[[nodiscard]] inline std::string axis_number(double value) {
    return fmt::format("{:.7g}", value);
}

// From values to coordinates; a domain without width maps to the middle.
struct Scale {
    double low = 0, high = 1;  // of the values
    double start = 0, end = 1; // of the coordinates
    [[nodiscard]] double operator()(double value) const {
        return high > low ? start + (value - low) / (high - low) * (end - start) : (start + end) / 2;
    }
};

// Round values across [low, high], at most about `count` of them: 1, 2 or 5 times a power of ten.
[[nodiscard]] std::vector<double> ticks(double low, double high, int count);

} // namespace snapscope
