// Where the level of a sequence changes: the best piecewise constant fit.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace snapscope {

struct Segmentation {
    std::vector<std::size_t> ends; // one past the last value of each segment; the last is the length
    double p_value = 1;            // that a sequence without any change gives as good a split
};

// Least squares for each number of segments by dynamic programming (Bellman
// 1961; Jackson et al. 2005), segments of at least two values; the number by
// the modified BIC for unknown variance (Zhang & Siegmund, Biometrics 63,
// 2007).  Whether there is any change at all is a permutation test on the same
// criterion, so that a flat sequence is split in at most 5 of 100 cases: with p
// above 0.05 there is one segment.  `noise` is the least standard deviation
// that a value is given (two equal values are no proof of none).  Fewer than
// six values: one segment.  Seeded: the same values give the same answer.
[[nodiscard]] Segmentation segment(std::span<const double> values, double noise);

} // namespace snapscope
