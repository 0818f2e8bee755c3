// From a test at every shift to an estimate, an interval and a p-value that
// agree with each other.  Shifts are whole numbers of a grid here.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace snapscope {

// In units of the grid on which the tests are evaluated.
struct Inversion {
    double p_value = 1; // at shift 0
    double low = 0;
    double high = 0;
};

// The test's p-value at shift t.
using PValueAt = std::function<double(std::int64_t t)>;

// Exact: p changes only at `breakpoints` (ascending, distinct, even).  A
// breakpoint gets the largest p of itself and its two sides, which closes the
// interval; then the p-values are filled up to a single hump.
[[nodiscard]] Inversion invert_exactly(const std::vector<std::int64_t>& breakpoints, const PValueAt& p_at);

// For many values: bisection between the centre (p near 1) and the outer
// bounds (p near 0), then made to agree with p at 0.
[[nodiscard]] Inversion invert_by_bisection(std::int64_t low, std::int64_t centre, std::int64_t high,
                                            const PValueAt& p_at);

} // namespace snapscope
