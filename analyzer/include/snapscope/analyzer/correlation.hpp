// Does one quantity go with another across the points of a sweep, and could a
// third explain it?  Ranks only: no shape is assumed beyond monotonic.
#pragma once

#include <snapscope/analyzer/statistics.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace snapscope {

inline constexpr std::size_t min_association_points = 6; // fewer cannot say anything after correction

struct Correlation {
    double rho = 0; // Spearman's: Pearson's of the mid-ranks
    std::optional<Interval> interval95;
    double p_value = 1; // two-sided, by permutation
    std::size_t n = 0;
};

// Mid-ranks from 1, in the order of the values.
[[nodiscard]] std::vector<double> midranks(std::span<const double> values);

// nullopt where a side is constant.
[[nodiscard]] std::optional<double> spearman(std::span<const double> x, std::span<const double> y);

// Rank correlation of x and y with z held fixed, by partial correlation of the
// ranks (Kendall, Biometrika 32, 1942; Conover, Practical Nonparametric
// Statistics, 5.4); nullopt where z explains one of the two entirely.
[[nodiscard]] std::optional<double> partial_spearman(std::span<const double> x, std::span<const double> y,
                                                     std::span<const double> z);

// p: permutations of y, all of them up to 7 points, else 9999 at random with
// the observed one counted (Phipson & Smyth 2010).  Interval: bootstrap of the
// points (2000 resamples), percentiles of Fisher's z, expanded for the sample's
// size (Hesterberg, The American Statistician 69, 2015: Phi(-sqrt(n/(n-1))
// t(n-1)) in place of 2.5 %), and widened to the one of Bonett & Wright
// (Psychometrika 65, 2000) where that reaches further, since resampling few
// points understates; ranks that agree wholly count as half a step of rho less.
// nullopt below min_association_points or where a side is constant.  Seeded.
[[nodiscard]] std::optional<Correlation> correlate(std::span<const double> x, std::span<const double> y);

// Holm's step-down correction (Scandinavian Journal of Statistics 6, 1979):
// adjusted p-values, in the order given.
[[nodiscard]] std::vector<double> holm(std::span<const double> p_values);

} // namespace snapscope
