#include "load_threshold.hpp"

#include <gtest/gtest.h>
#include <random>

namespace snapscope {
namespace {

std::vector<std::uint32_t> around(double mean, double spread, std::size_t count, unsigned int seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(mean, spread);
    std::vector<std::uint32_t> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(static_cast<std::uint32_t>(std::max(1.0, normal(random))));
    return out;
}

TEST(LoadThresholdTest, AnEmptyValleyIsCutInItsMiddleAndNeverWrong) {
    const auto out = choose_threshold(around(50, 3, 1000, 1), around(200, 8, 1000, 2));
    ASSERT_TRUE(out);
    EXPECT_GT(out->low_cycles, 50);
    EXPECT_LT(out->high_cycles, 200);
    EXPECT_NEAR(out->cycles, (out->low_cycles + out->high_cycles) / 2, 0.5);
    EXPECT_EQ(out->missed, 0U);
    EXPECT_EQ(out->false_slow, 0U);
    EXPECT_EQ(out->slow_loads, 500U);
    EXPECT_EQ(error_rate(*out), 0);
}

TEST(LoadThresholdTest, InterruptsAmongTheFastAreCountedAndDoNotMoveIt) {
    auto fast = around(50, 3, 1000, 1);
    for (std::size_t i = 1; i < fast.size(); i += 50) // odd ones: those that are checked
        fast[i] = 30000;
    const auto out = choose_threshold(fast, around(200, 8, 1000, 2));
    ASSERT_TRUE(out);
    EXPECT_LT(out->cycles, 200);
    EXPECT_EQ(out->false_slow, 20U);
    EXPECT_NEAR(out->false_rate(), 0.04, 1e-9);
}

TEST(LoadThresholdTest, OneStrayAmongTheChoosingDoesNotMoveItEither) {
    auto slow = around(200, 8, 4000, 2);
    slow[0] = 51; // within the fast ones
    slow[2] = 130;
    const auto out = choose_threshold(around(50, 3, 4000, 1), slow);
    ASSERT_TRUE(out);
    EXPECT_GT(out->cycles, 80);
    EXPECT_LT(out->cycles, 180);
}

TEST(LoadThresholdTest, ThoseThatAreAlikeAreACoinToss) {
    const auto out = choose_threshold(around(180, 10, 4000, 1), around(180, 10, 4000, 2));
    ASSERT_TRUE(out);
    EXPECT_NEAR(error_rate(*out), 0.5, 0.05);
}

TEST(LoadThresholdTest, HalfOverlapIsTheErrorOfTheBestCut) {
    // Two normals two standard deviations apart: the best cut errs for 15.9 % on both sides.
    const auto out = choose_threshold(around(180, 10, 20000, 1), around(200, 10, 20000, 2));
    ASSERT_TRUE(out);
    EXPECT_NEAR(error_rate(*out), 0.159, 0.015);
}

TEST(LoadThresholdTest, FewLoadsHaveNoThreshold) {
    EXPECT_FALSE(choose_threshold(around(50, 3, 99, 1), around(200, 8, 1000, 2)));
    EXPECT_FALSE(choose_threshold(around(50, 3, 1000, 1), {}));
}

} // namespace
} // namespace snapscope
