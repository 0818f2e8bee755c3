#include "line_estimate.hpp"
#include "load_threshold.hpp"

#include <snapscope/collector/line_timer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace snapscope {
namespace {

LoadThreshold threshold(std::uint64_t missed, std::uint64_t falsely, std::uint64_t of = 10000) {
    LoadThreshold out;
    out.cycles = 120;
    out.slow_loads = out.fast_loads = of;
    out.missed = missed;
    out.false_slow = falsely;
    return out;
}

TEST(LineEstimateTest, WithoutErrorsItIsTheShareOfSlowLoads) {
    const auto out = estimate_lines(188, {1000, 250}, threshold(0, 0));
    ASSERT_TRUE(out);
    EXPECT_DOUBLE_EQ(out->lines, 47);
    EXPECT_LT(out->low, 47);
    EXPECT_GT(out->high, 47);
    EXPECT_GT(out->low, 38);
    EXPECT_LT(out->high, 57);
}

TEST(LineEstimateTest, TheThresholdsErrorsAreTakenOut) {
    // 40 % of the lines left; 10 % of those are missed, 5 % of the rest taken wrongly.
    const auto slow = static_cast<std::uint64_t>(100000 * (0.4 * 0.9 + 0.6 * 0.05));
    const auto out = estimate_lines(100, {100000, slow}, threshold(1000, 500));
    ASSERT_TRUE(out);
    EXPECT_NEAR(out->lines, 40, 1e-3);
    EXPECT_LT(out->low, 40);
    EXPECT_GT(out->high, 40);
}

TEST(LineEstimateTest, AnUncertainThresholdWidensTheInterval) {
    const auto sure = estimate_lines(100, {1000, 400}, threshold(1000, 500));
    const auto unsure = estimate_lines(100, {1000, 400}, threshold(10, 5, 100));
    ASSERT_TRUE(sure && unsure);
    EXPECT_NEAR(sure->lines, unsure->lines, 1e-9);
    EXPECT_LT(unsure->low, sure->low);
    EXPECT_GT(unsure->high, sure->high);
}

TEST(LineEstimateTest, NoSlowLoadIsNotProofOfNone) {
    const auto out = estimate_lines(188, {100, 0}, threshold(0, 20));
    ASSERT_TRUE(out);
    EXPECT_EQ(out->lines, 0);
    EXPECT_EQ(out->low, 0);
    EXPECT_GT(out->high, 5);
    const auto all = estimate_lines(188, {100, 100}, threshold(0, 0));
    ASSERT_TRUE(all);
    EXPECT_EQ(all->high, 188);
    EXPECT_LT(all->low, 182);
}

TEST(LineEstimateTest, FewerSlowLoadsThanFalseOnesAreNone) {
    const auto out = estimate_lines(188, {1000, 5}, threshold(0, 200));
    ASSERT_TRUE(out);
    EXPECT_EQ(out->lines, 0);
}

TEST(LineEstimateTest, WhatCannotBeToldIsRefused) {
    EXPECT_FALSE(estimate_lines(188, {0, 0}, threshold(0, 0)));
    EXPECT_FALSE(estimate_lines(188, {10, 11}, threshold(0, 0)));
    const auto blind = estimate_lines(188, {1000, 500}, threshold(3000, 2500));
    ASSERT_FALSE(blind);
    EXPECT_THAT(blind.error().what, testing::HasSubstr("does not tell"));
    EXPECT_FALSE(estimate_lines(188, {1000, 500}, threshold(0, 0, 0)));
}

// Latencies of a machine like the one that this was tried on: own lines around
// 48 cycles, lines that had left around 190, both with a tail.
class SyntheticLatencies {
  public:
    std::uint32_t load(bool left) {
        const bool tail = chance_(random_) < 0.02;
        return static_cast<std::uint32_t>((left ? 190 : 48) + 6 * normal_(random_) +
                                          (tail ? 100 + 400 * chance_(random_) : 0));
    }
    std::vector<std::uint32_t> many(bool left, std::size_t count) {
        std::vector<std::uint32_t> out;
        for (std::size_t i = 0; i < count; ++i)
            out.push_back(load(left));
        return out;
    }
    bool chance(double p) { return chance_(random_) < p; }

  private:
    std::mt19937 random_{7};
    std::normal_distribution<double> normal_{0, 1};
    std::uniform_real_distribution<double> chance_{0, 1};
};

TEST(LineEstimateTest, KnownNumbersOfLinesAreFoundAndTheIntervalsHoldThem) {
    SyntheticLatencies machine;
    const auto calibrated = choose_threshold(machine.many(false, 8000), machine.many(true, 8000));
    ASSERT_TRUE(calibrated);
    int outside = 0;
    int rounds = 0;
    for (const double lines : {0.0, 1.0, 23.0, 94.0, 188.0}) {
        TimedLoads all;
        for (int round = 0; round < 40; ++round, ++rounds) {
            TimedLoads loads{500, 0};
            for (std::uint64_t i = 0; i < loads.loads; ++i)
                loads.slow += machine.load(machine.chance(lines / 188)) > calibrated->cycles ? 1U : 0U;
            const auto out = estimate_lines(188, loads, *calibrated);
            ASSERT_TRUE(out);
            outside += out->low > lines || out->high < lines ? 1 : 0;
            all.loads += loads.loads;
            all.slow += loads.slow;
        }
        EXPECT_NEAR(estimate_lines(188, all, *calibrated)->lines, lines, 2.5) << lines;
    }
    EXPECT_LE(outside, rounds / 20);
}

TEST(LineTimerTest, EveryLineIsChosenAndOnlyThose) {
    struct alignas(LineTimer::line_bytes) Line {
        std::uint32_t word = 0;
    };
    const std::vector<Line> lines(16);
    LineTimer timer(lines.data(), lines.size(), 1e9, 3);
    std::vector<int> seen(lines.size());
    for (int i = 0; i < 2000; ++i) {
        const auto load = timer.load_one();
        ASSERT_LT(load.line, lines.size());
        EXPECT_FALSE(load.left);
        ++seen[load.line];
    }
    EXPECT_THAT(seen, testing::Each(testing::Gt(50)));
}

} // namespace
} // namespace snapscope
