#include <snapscope/collector/log_histogram.hpp>
#include <snapscope/probes/buckets.h>

#include <gtest/gtest.h>
#include <numeric>

namespace snapscope {
namespace {

TEST(Buckets, EveryValueLiesInItsBucket) {
    for (std::uint64_t value = 0; value < (1ULL << 39); value = value < 5000 ? value + 1 : value + value / 37) {
        const auto bucket = snapscope_bucket_of(value);
        ASSERT_LT(bucket, SNAPSCOPE_BUCKETS);
        EXPECT_LE(snapscope_bucket_floor(bucket), value);
        EXPECT_GT(snapscope_bucket_floor(bucket + 1), value);
    }
}

TEST(Buckets, LargeValuesShareTheLast) {
    EXPECT_EQ(snapscope_bucket_of(UINT64_MAX), SNAPSCOPE_BUCKETS - 1);
    EXPECT_EQ(snapscope_bucket_of(1ULL << 40), SNAPSCOPE_BUCKETS - 1);
    EXPECT_EQ(snapscope_bucket_of((1ULL << 40) - 1), SNAPSCOPE_BUCKETS - 1);
}

TEST(LogHistogram, BoundsEncloseTheValuesAndCountsAddUp) {
    LogHistogram histogram;
    for (const std::uint64_t value : {70U, 71U, 500U, 100000U})
        histogram.add(value);
    const auto out = histogram.to_histogram("snapshot_duration", "ring", "ns", "reused");
    ASSERT_EQ(out.bounds.size(), out.counts.size() + 1);
    EXPECT_LE(out.bounds.front(), 70);
    EXPECT_GT(out.bounds.back(), 100000);
    EXPECT_EQ(std::accumulate(out.counts.begin(), out.counts.end(), std::uint64_t{0}), 4U);
    EXPECT_EQ(out.min, 70);
    EXPECT_EQ(out.max, 100000);
}

TEST(LogHistogram, EmptyOneHasNoBucketsAndNoExtremes) {
    const auto out = LogHistogram().to_histogram("snapshot_duration", "ring", "ns", "");
    EXPECT_TRUE(out.bounds.empty());
    EXPECT_TRUE(out.counts.empty());
    EXPECT_FALSE(out.min);
}

} // namespace
} // namespace snapscope
