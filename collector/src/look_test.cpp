#include <snapscope/collector/look.hpp>

#include <gtest/gtest.h>

namespace snapscope::test {
namespace {

Slot slot(std::uint32_t number, std::uint64_t taken) {
    Slot out;
    out.slot = number;
    out.taken = taken;
    return out;
}

TEST(LookSince, CountsAreThoseOfTheTimeBetween) {
    snapscope::Run before;
    before.histograms = {{"snapshot_duration", "ring", "ns", "", {0, 10, 20}, {3, 1}, 2.0, 15.0}};
    before.slots = {slot(4, 10)};
    before.slots[0].residency = {{0, 100}, {1, 50}};
    snapscope::Run now;
    now.histograms = {{"snapshot_duration", "ring", "ns", "", {0, 10, 20, 40}, {5, 1, 7}, 1.0, 39.0}};
    now.slots = {slot(4, 25), slot(9, 2)};
    now.slots[0].residency = {{0, 160}, {1, 50}};

    const snapscope::Run since = look_since(before, now);
    EXPECT_EQ(since.histograms[0].counts, (std::vector<std::uint64_t>{2, 0, 7})) << "also where it grew";
    EXPECT_FALSE(since.histograms[0].max) << "nobody knows the greatest of the time between";
    EXPECT_EQ(since.slots[0].taken, 15U);
    ASSERT_EQ(since.slots[0].residency.size(), 1U);
    EXPECT_EQ(since.slots[0].residency[0].run_ns, 60);
    EXPECT_EQ(since.slots[1].taken, 2U) << "a slot that was not there before";
    EXPECT_FALSE(since.slots[1].reused) << "absent stays absent";
}

TEST(LookSince, WhatCountsFromNothingAgainIsNeverNegative) {
    snapscope::Run before;
    before.slots = {slot(4, 10)};
    before.slots[0].samples = {{"mirror", 8, 2, {}, {}, {}, {}, {}, {}, {}, {}}};
    snapscope::Run now;
    now.slots = {slot(4, 3)};
    now.slots[0].samples = {{"mirror", 9, 1, {}, {}, {}, {}, {}, {}, 77, {}}};
    const snapscope::Run since = look_since(before, now);
    EXPECT_EQ(since.slots[0].taken, 0U);
    EXPECT_EQ(since.slots[0].samples[0].taken, 1U);
    EXPECT_EQ(since.slots[0].samples[0].with_xid, 0U);
    EXPECT_EQ(since.slots[0].samples[0].horizon_age, 77U) << "an age is as it is now";
}

} // namespace
} // namespace snapscope::test
