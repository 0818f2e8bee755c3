#include <snapscope/analyzer/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

namespace snapscope {
namespace {

TEST(Statistics, MedianAndQuantiles) {
    EXPECT_FALSE(median({}));
    EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
    EXPECT_EQ(median(std::vector<double>{4, 1, 2, 3}), 2.5);
    EXPECT_EQ(quantile(std::vector<double>{10, 20, 30, 40, 50}, 0.1), 14);
    EXPECT_EQ(quantile(std::vector<double>{10, 20}, 1), 20);
    EXPECT_EQ(mean(std::vector<double>{1, 2, 6}), 3);
}

// Ranks from the tables of the sign test: n, k of [x(k), x(n+1-k)].
TEST(MedianInterval, UsesTheRanksOfTheSignTest) {
    for (const auto& [n, k] : std::vector<std::pair<int, int>>{
             {6, 1}, {8, 1}, {9, 2}, {12, 3}, {15, 4}, {20, 6}, {25, 8}, {50, 18}, {100, 40}}) {
        std::vector<double> values(static_cast<std::size_t>(n));
        std::iota(values.begin(), values.end(), 1.0);
        const auto interval = median_interval95(values);
        ASSERT_TRUE(interval) << n;
        EXPECT_EQ(interval->low, k) << n;
        EXPECT_EQ(interval->high, n + 1 - k) << n;
    }
}

TEST(MedianInterval, DoesNotExistBelowSixValues) {
    EXPECT_FALSE(median_interval95(std::vector<double>{1, 2, 3, 4, 5}));
}

TEST(MedianInterval, CoversTheMedian) {
    std::mt19937 random(5); // NOLINT(cert-msc51-cpp)
    std::exponential_distribution<double> skewed;
    constexpr int rounds = 4000;
    for (const std::size_t n : {6U, 9U, 17U}) {
        int covered = 0;
        for (int round = 0; round < rounds; ++round) {
            std::vector<double> values(n);
            std::generate(values.begin(), values.end(), [&] { return skewed(random); });
            const auto interval = median_interval95(values);
            covered += interval && interval->low <= std::log(2) && std::log(2) <= interval->high;
        }
        EXPECT_GE(static_cast<double>(covered) / rounds, 0.95 - 3 * std::sqrt(0.95 * 0.05 / rounds)) << n;
    }
}

} // namespace
} // namespace snapscope
