// Is tps different because x is, or because the server was started again?
// Variance components of log tps: between restarts at one x, and between x.
#pragma once

#include <snapscope/analyzer/curve.hpp>
#include <snapscope/analyzer/statistics.hpp>

#include <cstddef>
#include <optional>

namespace snapscope {

// Standard deviations are of log tps, so 0.05 is about 5 %.
struct VarianceComponents {
    std::size_t points = 0, runs = 0;
    double restart_sd = 0;
    Interval restart_sd95; // chi-square
    double between_sd = 0; // 0 where the estimate is not above 0
    // Of between_sd, from the F interval of the ratio of variances (Burdick &
    // Graybill, Confidence Intervals on Variance Components, 3.3; with unequal
    // repeats by unweighted means: Thomas & Hultquist, Ann. Statist. 6, 1978)
    // times the estimated restart variance.
    Interval between_ratio95;  // of between variance over restart variance
    double f = 0, p_value = 1; // that x makes no difference at all
};

// One-way analysis of variance, x as a random effect.  nullopt with fewer than
// two points, or without repeats at any of them.
[[nodiscard]] std::optional<VarianceComponents> variance_components(const Curve& curve);

} // namespace snapscope
