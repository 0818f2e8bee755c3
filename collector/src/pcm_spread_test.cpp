// Rows of pcm over windows: sums are kept, and what no row covers is a gap.
#include "pcm_spread.hpp"

#include <gtest/gtest.h>

namespace snapscope {
namespace {

using Values = std::vector<std::optional<double>>;

TEST(PcmSpread, CountsAreSharedOutByTime) {
    const std::vector<PcmSpan> rows{{0, 100, {10.0}}, {100, 200, {30.0}}, {200, 300, {50.0}}};
    EXPECT_EQ(spread(rows, 0, "bytes", {0, 100, 200}, {100, 200, 300}), (Values{10.0, 30.0, 50.0}));
    EXPECT_EQ(spread(rows, 0, "bytes", {50, 150}, {150, 250}), (Values{20.0, 40.0}));
    EXPECT_EQ(spread(rows, 0, "bytes", {0}, {300}), Values{90.0});
    EXPECT_EQ(spread(rows, 0, "ratio", {50, 0}, {150, 300}), (Values{20.0, 30.0})) << "a ratio is averaged";
}

TEST(PcmSpread, WhatIsNotCoveredIsAGap) {
    const std::vector<PcmSpan> rows{{0, 100, {10.0}}, {100, 200, {std::nullopt}}, {200, 300, {50.0}}};
    EXPECT_EQ(spread(rows, 0, "bytes", {0, 100, 200, 300}, {100, 200, 300, 400}),
              (Values{10.0, std::nullopt, 50.0, std::nullopt}));
    EXPECT_EQ(spread(rows, 0, "bytes", {50}, {150}), Values{std::nullopt});
    EXPECT_EQ(spread({}, 0, "bytes", {0, 1}, {1, 1}), (Values{std::nullopt, std::nullopt}));
}

} // namespace
} // namespace snapscope
