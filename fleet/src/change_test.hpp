// Whether a sequence has one level throughout.
#pragma once

#include <cstddef>
#include <span>

namespace snapscope {

struct ChangeTest {
    double p_value = 1;    // that one level gives a split as good as the best
    std::size_t first = 0; // of the values after the best split
};

// The best split into two sides of at least two values, by Mann and Whitney's
// test: its exact distribution up to 100 values, the normal approximation with
// continuity correction beyond (Mann & Whitney, Ann. Math. Stat. 18, 1947).
// Ties count against a difference.  The p-value is that of the best split times
// the number of splits (Bonferroni): conservative, valid for any continuous
// distribution, and as strong for a change at the end as the ranks allow.
// Fewer than six values: no change.
[[nodiscard]] ChangeTest change_test(std::span<const double> values);

} // namespace snapscope
