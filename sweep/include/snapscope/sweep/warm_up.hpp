// How much of a series is warm-up.  Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace snapscope {

struct WarmUp {
    std::size_t values = 0; // so many at the start are warm-up
    double mean = 0;        // of the rest
    bool settled = true;    // false: the cut lies at the end of the first half, so there may be more
};

// MSER (White, "An effective truncation heuristic for bias reduction in
// simulation output", Simulation 69:6, 1997): the cut d that makes
// sum_{i>=d} (x_i - mean_d)^2 / (n - d)^2 smallest, d <= n / 2.  Nullopt with
// fewer than 8 values: too few to tell.
[[nodiscard]] std::optional<WarmUp> find_warm_up(const std::vector<double>& series);

} // namespace snapscope
