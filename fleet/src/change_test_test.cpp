#include "change_test.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

namespace snapscope {
namespace {

std::vector<double> noise(std::size_t n, std::mt19937& random) {
    std::vector<double> values(n);
    std::generate(values.begin(), values.end(), [&] { return std::lognormal_distribution<double>(0, 0.5)(random); });
    return values;
}

// All orders of n values have the same chance where nothing changes.
TEST(ChangeTest, HasItsLevelOverAllPermutations) {
    for (const double level : {0.15, 0.3, 0.6}) {
        std::vector<double> values(8);
        std::iota(values.begin(), values.end(), 0.0);
        std::size_t orders = 0, found = 0;
        do {
            ++orders;
            found += change_test(values).p_value <= level;
        } while (std::next_permutation(values.begin(), values.end()));
        EXPECT_LE(static_cast<double>(found), level * static_cast<double>(orders)) << level;
        EXPECT_GT(found, 0u) << level;
    }
}

TEST(ChangeTest, TheSplitOfTwoApartSidesHasTheChanceOfCounting) {
    // 3 against 5, wholly apart: one of C(8, 3) = 56 arrangements a side, five splits.
    const std::vector<double> values{10, 11, 12, 1, 2, 3, 4, 5};
    const ChangeTest test = change_test(values);
    EXPECT_EQ(test.first, 3u);
    EXPECT_NEAR(test.p_value, 5 * 2 / 56.0, 1e-12);
}

TEST(ChangeTest, IsAsExactAsItsApproximationIsClose) {
    std::mt19937 random(5);
    auto values = noise(100, random);
    for (std::size_t i = 70; i < 100; ++i)
        values[i] *= 1.5;
    const double exact = change_test(values).p_value;
    values.push_back(values[99] * 1.0001); // 101 values: approximated
    const double approximated = change_test(values).p_value;
    EXPECT_LT(std::abs(std::log(exact / approximated)), std::log(10.0));
}

TEST(ChangeTest, FindsAChangeInTheLastNights) {
    std::mt19937 random(7);
    auto values = noise(50, random);
    for (std::size_t i = 0; i < 50; ++i)
        values[i] = 100 + values[i] + (i >= 45 ? 50 : 0);
    const ChangeTest test = change_test(values);
    EXPECT_EQ(test.first, 45u);
    EXPECT_LT(test.p_value, 1e-4); // enough for 500 hosts
}

TEST(ChangeTest, TiesAreNoDifference) {
    EXPECT_EQ(change_test(std::vector<double>(30, 4.0)).p_value, 1);
    std::vector<double> halves(30, 4.0);
    std::fill(halves.begin() + 15, halves.end(), 5.0);
    EXPECT_LT(change_test(halves).p_value, 1e-5);
}

TEST(ChangeTest, SaysNothingOfTooFew) {
    EXPECT_EQ(change_test({}).p_value, 1);
    EXPECT_EQ(change_test(std::vector<double>{1, 1.1, 9, 9.1, 9.2}).p_value, 1);
}

} // namespace
} // namespace snapscope
