#include "downsample.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

using testing::ElementsAre;
using Values = std::vector<std::optional<double>>;

Windows windows_of(std::size_t count) {
    Windows out;
    for (std::size_t i = 0; i < count; ++i) {
        out.start_ns.push_back(static_cast<std::int64_t>(i) * 1'000'000'000);
        out.end_ns.push_back(static_cast<std::int64_t>(i + 1) * 1'000'000'000);
    }
    return out;
}

void shift(Windows& windows, std::size_t from, std::int64_t by_ns) {
    for (std::size_t i = from; i < windows.start_ns.size(); ++i) {
        windows.start_ns[i] += by_ns;
        windows.end_ns[i] += by_ns;
    }
}

TEST(Downsample, FewWindowsAreAllThere) {
    const auto windows = windows_of(4);
    const auto plan = plan_buckets(windows);
    EXPECT_TRUE(plan.every_window);
    EXPECT_THAT(point_times(windows, plan, 0), ElementsAre(0.5, 1.5, 2.5, 3.5));
    const auto points = point_values({1, std::nullopt, 0, -4}, plan);
    ASSERT_EQ(points.size(), 4U);
    EXPECT_EQ(points[0], 1);
    EXPECT_TRUE(std::isnan(points[1])) << "absent is not zero";
    EXPECT_EQ(points[2], 0);
    EXPECT_EQ(points[3], -4);
}

TEST(Downsample, NothingOfNothing) {
    const auto plan = plan_buckets({});
    EXPECT_EQ(plan.points(), 0U);
    EXPECT_TRUE(point_times({}, plan, 0).empty());
}

// Whatever bucket a spike falls into, it is drawn at its height.
TEST(Downsample, EveryExtremeStays) {
    const std::size_t count = 10'007;
    const auto windows = windows_of(count);
    const auto plan = plan_buckets(windows, 400);
    EXPECT_FALSE(plan.every_window);
    EXPECT_LE(plan.points(), 402U);
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, count / 3, count / 2, count - 2, count - 1}) {
        Values values(count, 5.0);
        values[at] = 1e6;
        values[(at + 77) % count] = -3.0;
        const auto points = point_values(values, plan);
        EXPECT_EQ(points.size(), plan.points());
        EXPECT_EQ(*std::ranges::max_element(points), 1e6F) << at;
        EXPECT_EQ(*std::ranges::min_element(points), -3.0F) << at;
    }
}

// Nothing is drawn that was not there.
TEST(Downsample, EveryPointIsAValueOfItsBucketInItsOrder) {
    const auto windows = windows_of(100);
    const auto plan = plan_buckets(windows, 20);
    Values values;
    for (std::size_t i = 0; i < 100; ++i)
        values.emplace_back(static_cast<double>((i * 37) % 101));
    const auto points = point_values(values, plan);
    for (std::size_t b = 0; b < plan.buckets.size(); ++b) {
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(plan.buckets[b].first);
        const auto last = values.begin() + static_cast<std::ptrdiff_t>(plan.buckets[b].last);
        const auto [low, high] = std::minmax_element(first, last);
        EXPECT_EQ(points[2 * b], static_cast<float>(**std::min(low, high)));
        EXPECT_EQ(points[2 * b + 1], static_cast<float>(**std::max(low, high)));
    }
}

TEST(Downsample, ABucketWithoutAnyValueIsAGap) {
    const auto windows = windows_of(100);
    const auto plan = plan_buckets(windows, 20);
    Values values(100, 7.0);
    for (std::size_t i = plan.buckets[3].first; i < plan.buckets[3].last; ++i)
        values[i].reset();
    values[plan.buckets[5].first].reset();
    const auto points = point_values(values, plan);
    EXPECT_TRUE(std::isnan(points[6]));
    EXPECT_TRUE(std::isnan(points[7]));
    EXPECT_EQ(points[10], 7) << "a value that is there is drawn";
}

TEST(Downsample, TimeThatNobodyWatchedIsAGapAndNoBucketReachesAcross) {
    for (const std::size_t limit : {std::size_t{1000}, std::size_t{20}}) {
        auto windows = windows_of(100);
        shift(windows, 42, 5'000'000'000);
        const auto plan = plan_buckets(windows, limit);
        EXPECT_EQ(std::ranges::count_if(plan.buckets, &Bucket::gap_before), 1);
        for (const Bucket& bucket : plan.buckets) {
            EXPECT_TRUE(bucket.last <= 42 || bucket.first >= 42);
            EXPECT_EQ(bucket.gap_before, bucket.first == 42);
        }
        const auto times = point_times(windows, plan, 0);
        const auto points = point_values(Values(100, 1.0), plan);
        ASSERT_EQ(times.size(), points.size());
        EXPECT_TRUE(std::ranges::is_sorted(times));
        EXPECT_EQ(std::ranges::count_if(points, [](float p) { return std::isnan(p); }), 1);
    }
}

TEST(Downsample, ASmallDelayBetweenWindowsIsNoGap) {
    auto windows = windows_of(10);
    shift(windows, 5, 1'000'000);
    EXPECT_EQ(std::ranges::count_if(plan_buckets(windows).buckets, &Bucket::gap_before), 0);
}

TEST(Downsample, RatesAreBySecondAndAWindowWithoutLengthHasNone) {
    Windows windows = windows_of(3);
    windows.end_ns[0] = 500'000'000;
    windows.end_ns[1] = windows.start_ns[1];
    const auto rates = per_second(windows, {10, 10, std::nullopt});
    EXPECT_EQ(rates[0], 20);
    EXPECT_EQ(rates[1], std::nullopt);
    EXPECT_EQ(rates[2], std::nullopt);
}

TEST(Downsample, ValuesBeyondAFloatStayFinite) {
    const auto points = point_values({1e300, -1e300}, plan_buckets(windows_of(2)));
    EXPECT_TRUE(std::isfinite(points[0]));
    EXPECT_GT(points[0], 1e38F);
    EXPECT_LT(points[1], -1e38F);
}

} // namespace
} // namespace snapscope
