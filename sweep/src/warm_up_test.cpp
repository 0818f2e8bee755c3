#include <snapscope/sweep/warm_up.hpp>

#include <gtest/gtest.h>
#include <random>

namespace snapscope {
namespace {

TEST(WarmUp, is_not_told_from_fewer_than_8_values) {
    EXPECT_FALSE(find_warm_up({1, 2, 3, 4, 5, 6, 7}));
    EXPECT_TRUE(find_warm_up({1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(WarmUp, is_nothing_in_a_constant_series) {
    const auto found = find_warm_up(std::vector<double>(20, 5.0));
    EXPECT_EQ(found->values, 0U);
    EXPECT_DOUBLE_EQ(found->mean, 5.0);
    EXPECT_TRUE(found->settled);
}

TEST(WarmUp, ends_where_a_slow_start_ends) {
    std::vector<double> series(30, 100.0);
    series[0] = 20;
    series[1] = 50;
    series[2] = 80;
    const auto found = find_warm_up(series);
    EXPECT_EQ(found->values, 3U);
    EXPECT_DOUBLE_EQ(found->mean, 100.0);
    EXPECT_TRUE(found->settled);
}

TEST(WarmUp, is_found_to_within_a_value_or_two_under_noise) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> noise(0, 2);
    int near = 0;
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<double> series;
        for (int i = 0; i < 30; ++i)
            series.push_back((i < 5 ? 60 : 100) + noise(random));
        const auto found = find_warm_up(series);
        near += found->values >= 5 && found->values <= 8 && found->settled ? 1 : 0;
    }
    EXPECT_GT(near, 150);
}

TEST(WarmUp, says_when_the_series_had_not_settled) {
    std::vector<double> series;
    for (int i = 0; i < 20; ++i)
        series.push_back(i * 10.0);
    const auto found = find_warm_up(series);
    EXPECT_FALSE(found->settled);
    EXPECT_EQ(found->values, 10U);
    EXPECT_DOUBLE_EQ(found->mean, 145.0);
}

} // namespace
} // namespace snapscope
