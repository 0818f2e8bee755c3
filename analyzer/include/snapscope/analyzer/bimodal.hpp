// Do values fall into two groups?  A machine that has a fast and a slow state
// (placement, frequency, a neighbour) gives repeats of two kinds, whose median
// says little.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace snapscope {

struct TwoGroups {
    double low = 0, high = 0; // medians of the groups
    std::size_t low_count = 0, high_count = 0;
    double p_value = 1; // that one normal group splits so well
};

// The split into two groups that leaves the least within them, judged against
// the same split of normal samples of that size (Engelman & Hartigan, JASA 64,
// 1969), by 4999 seeded simulations; at the 1 % level, because skewed repeats
// split more easily than normal ones.  Each group has at least two values and a
// fifth of all, so that a lone outlier is none.  On logarithms where all values
// are above 0.  nullopt: no two groups are shown, or fewer than eight values.
[[nodiscard]] std::optional<TwoGroups> two_groups(std::span<const double> values);

} // namespace snapscope
