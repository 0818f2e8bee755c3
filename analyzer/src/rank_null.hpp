// Permutation distributions of rank sums, exactly, for the mid-ranks that are
// there.  Ranks are doubled, so that mid-ranks are whole numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace snapscope {

// Doubled mid-ranks of values, in their order.
[[nodiscard]] std::vector<std::int64_t> doubled_midranks(std::span<const std::int64_t> values);

// p-values of signed rank sums; each pattern of ranks is worked out once.
class SignedRankNull {
  public:
    // P(|S| >= |sum|) where S sums `ranks`, each with a random sign.  `sum`
    // must be a value that S can take.
    [[nodiscard]] double p_value(std::vector<std::int64_t> ranks, std::int64_t sum);

  private:
    std::map<std::vector<std::int64_t>, std::vector<double>> tails_; // P(sum of a random subset >= index)
};

// p-values of the rank sum of `chosen` values out of all.
class RankSumNull {
  public:
    explicit RankSumNull(std::size_t chosen) : chosen_(chosen) {}
    // min(1, 2 min(P(W <= sum), P(W >= sum))), W the sum of `chosen_` of `ranks`.
    [[nodiscard]] double p_value(std::vector<std::int64_t> ranks, std::int64_t sum);

  private:
    std::size_t chosen_;
    std::map<std::vector<std::int64_t>, std::vector<double>> cumulative_; // P(W <= index)
};

} // namespace snapscope
