// Rank tests with the interval that belongs to them.  Used by diff and by
// whoever compares repeats.
//
// Both tests shift one side by theta, take mid-ranks of what is there (ties
// and zeros included) and compare the rank sum with its permutation
// distribution over exactly these mid-ranks.  The interval is the set of theta
// that the test does not reject.  With ties that set can have holes; it is
// then filled up to an interval, and the p-value is raised accordingly: the
// p-value at theta is the largest level at which the interval does not cover
// theta.  So always: p_value <= alpha <=> the interval excludes 0.
//
// Values are rounded to multiples of `resolution` first, so that equal means
// equal and not equal up to the last bit of a logarithm.
#pragma once

#include <snapscope/analyzer/statistics.hpp>

#include <cstddef>
#include <optional>
#include <span>

namespace snapscope {

inline constexpr double alpha = 0.05;
inline constexpr std::size_t min_pairs = 6;     // fewer cannot reach alpha
inline constexpr std::size_t min_side = 4;      // nor can fewer than 4 against 4
inline constexpr std::size_t exact_pairs = 50;  // up to here exact; beyond: the normal approximation
inline constexpr std::size_t exact_values = 40; // both sides together; likewise

// On logarithms: 1e-12, far above rounding and far below any change.
inline constexpr double log_resolution = 0x1p-40;

struct RankTest {
    double p_value = 1; // two-sided
    double shift = 0;   // Hodges-Lehmann estimate, in the unit of the values
    Interval interval;  // of the shift, at least 95 %
    bool exact = true;  // false: normal approximation with the permutation variance and continuity correction
};

// Wilcoxon's signed-rank test of paired differences (zeros ranked as Pratt
// does); shift = median of the Walsh averages.  nullopt below min_pairs.
[[nodiscard]] std::optional<RankTest> signed_rank_test(std::span<const double> differences, double resolution);

// Mann-Whitney test of `other` against `base`; shift = median of all
// differences other - base; two-sided by doubling the smaller tail.  nullopt
// below min_side on either side.
[[nodiscard]] std::optional<RankTest> rank_sum_test(std::span<const double> base, std::span<const double> other,
                                                    double resolution);

} // namespace snapscope
