#include "rank_null.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace snapscope {
namespace {

std::vector<std::int64_t> untied(std::size_t n) {
    std::vector<std::int64_t> ranks(n);
    for (std::size_t i = 0; i < n; ++i)
        ranks[i] = 2 * (static_cast<std::int64_t>(i) + 1);
    return ranks;
}

TEST(Midranks, TiesShareTheirMean) {
    EXPECT_EQ(doubled_midranks(std::vector<std::int64_t>{5, 1, 5, 9}), (std::vector<std::int64_t>{5, 2, 5, 8}));
}

// Published two-sided critical values at 0.05 (Wilcoxon & Wilcox 1964): the
// largest T that is significant.
TEST(SignedRankNull, AgreesWithPublishedCriticalValues) {
    const std::vector<std::pair<std::size_t, std::int64_t>> critical{
        {6, 0},   {7, 2},   {8, 3},   {9, 5},   {10, 8},  {11, 10}, {12, 13}, {13, 17},
        {14, 21}, {15, 25}, {16, 29}, {17, 34}, {18, 40}, {19, 46}, {20, 52}, {25, 89}};
    SignedRankNull null;
    for (const auto& [n, t] : critical) {
        const auto ranks = untied(n);
        const auto total = static_cast<std::int64_t>(n * (n + 1)); // doubled
        EXPECT_LE(null.p_value(ranks, total - 4 * t), 0.05) << n;
        EXPECT_GT(null.p_value(ranks, total - 4 * (t + 1)), 0.05) << n;
    }
}

// Published two-sided critical values at 0.05 (Mann & Whitney's tables): the largest U that is significant.
TEST(RankSumNull, AgreesWithPublishedCriticalValues) {
    struct Row {
        std::size_t m, n;
        std::int64_t u;
    };
    for (const auto& [m, n, u] : {Row{4, 4, 0},
                                  {4, 5, 1},
                                  {5, 5, 2},
                                  {5, 6, 3},
                                  {6, 6, 5},
                                  {7, 7, 8},
                                  {8, 8, 13},
                                  {10, 10, 23},
                                  {8, 15, 29},
                                  {15, 15, 64},
                                  {20, 20, 127}}) {
        RankSumNull null(n);
        const auto least = static_cast<std::int64_t>(n * (n + 1)); // doubled rank sum where U = 0
        EXPECT_LE(null.p_value(untied(m + n), least + 2 * u), 0.05) << m << " " << n;
        EXPECT_GT(null.p_value(untied(m + n), least + 2 * (u + 1)), 0.05) << m << " " << n;
    }
}

TEST(SignedRankNull, AgreesWithEverySignOfTiedRanks) {
    std::mt19937 random(3); // NOLINT(cert-msc51-cpp)
    for (int round = 0; round < 40; ++round) {
        std::vector<std::int64_t> values(2 + random() % 9);
        for (auto& value : values)
            value = static_cast<std::int64_t>(random() % 5);
        const auto ranks = doubled_midranks(values);
        std::vector<std::int64_t> sums;
        for (std::uint32_t signs = 0; signs < 1U << ranks.size(); ++signs) {
            std::int64_t sum = 0;
            for (std::size_t i = 0; i < ranks.size(); ++i)
                sum += (signs >> i & 1U) != 0 ? ranks[i] : -ranks[i];
            sums.push_back(sum);
        }
        SignedRankNull null;
        for (const std::int64_t sum : sums) {
            const auto extreme =
                std::count_if(sums.begin(), sums.end(), [&](std::int64_t s) { return std::abs(s) >= std::abs(sum); });
            ASSERT_NEAR(null.p_value(ranks, sum), static_cast<double>(extreme) / static_cast<double>(sums.size()),
                        1e-12);
        }
    }
}

TEST(RankSumNull, AgreesWithEveryChoiceOfTiedRanks) {
    std::mt19937 random(4); // NOLINT(cert-msc51-cpp)
    for (int round = 0; round < 40; ++round) {
        const std::size_t m = 1 + random() % 5;
        const std::size_t n = 1 + random() % 5;
        std::vector<std::int64_t> values(m + n);
        for (auto& value : values)
            value = static_cast<std::int64_t>(random() % 4);
        const auto ranks = doubled_midranks(values);
        std::vector<std::int64_t> sums;
        for (std::uint32_t choice = 0; choice < 1U << (m + n); ++choice) {
            if (static_cast<std::size_t>(__builtin_popcount(choice)) != n)
                continue;
            std::int64_t sum = 0;
            for (std::size_t i = 0; i < ranks.size(); ++i)
                sum += (choice >> i & 1U) != 0 ? ranks[i] : 0;
            sums.push_back(sum);
        }
        RankSumNull null(n);
        for (const std::int64_t sum : sums) {
            const auto low = std::count_if(sums.begin(), sums.end(), [&](std::int64_t s) { return s <= sum; });
            const auto high = std::count_if(sums.begin(), sums.end(), [&](std::int64_t s) { return s >= sum; });
            const double expected = 2 * static_cast<double>(std::min(low, high)) / static_cast<double>(sums.size());
            ASSERT_NEAR(null.p_value(ranks, sum), std::min(1.0, expected), 1e-12);
        }
    }
}

} // namespace
} // namespace snapscope
