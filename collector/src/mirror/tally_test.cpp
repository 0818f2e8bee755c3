#include "tally.hpp"

#include <gtest/gtest.h>

namespace snapscope::mirror {
namespace {

constexpr std::uint64_t next_xid = 5000;

DenseSample dense(std::vector<DenseSlot> slots, Torn torn = Torn::no) {
    DenseSample sample;
    sample.torn = torn;
    sample.counters.next_xid = next_xid;
    sample.slots = std::move(slots);
    return sample;
}

// The next look, where entries CHANGED of SLOTS hold something else.
DenseSample later(std::vector<DenseSlot> slots, std::vector<std::uint32_t> changed, std::uint64_t next = next_xid) {
    DenseSample sample = dense(std::move(slots));
    sample.counters.next_xid = next;
    sample.anew = false;
    sample.changed = std::move(changed);
    return sample;
}

TEST(Tally, MeansComeFromTheLooksThatSaw) {
    Tally tally(10);
    tally.add(dense({{1, 4990, 0, 0, 0}, {2, 0, 0, 0, 0}}));
    tally.add(dense({{1, 0, 0, 0, 0}}, Torn::counters));
    tally.add(dense({}, Torn::roster));
    const auto window = tally.take_window();
    EXPECT_EQ(window.samples, 3U);
    EXPECT_EQ(window.roster_samples, 2U);
    EXPECT_EQ(window.xid_samples, 1U);
    EXPECT_EQ(window.taken, 3U);
    EXPECT_EQ(window.with_xid, 1U);
    EXPECT_EQ(window.xid_age, 10U);
    EXPECT_EQ(window.xmin_samples, 0U) << "no look saw an xmin";
    EXPECT_EQ(tally.take_window().samples, 0U);
    EXPECT_EQ(tally.total().samples, 3U);
}

TEST(Tally, WhatASlotHoldsCountsForAllLooksUntilItChanges) {
    Tally tally(10);
    tally.add(dense({{1, 4990, 0, 0, 0}, {2, 0, 0, 0, 0}}));
    for (int i = 0; i < 9; ++i)
        tally.add(later({{1, 4990, 0, 0, 0}, {2, 0, 0, 0, 0}}, {}));
    tally.add(later({{1, 0, 0, 0, 0}, {2, 4999, 0, 0, 0}}, {0, 1}));
    tally.add(later({{1, 0, 0, 0, 0}, {2, 4999, 0, 0, 0}}, {}));
    tally.add(dense({{2, 4999, 0, 0, 0}})); // 1 has left
    const auto window = tally.take_window();
    EXPECT_EQ(window.taken, 25U);
    EXPECT_EQ(window.with_xid, 13U);
    EXPECT_EQ(tally.slots()[1].samples, 12U);
    EXPECT_EQ(tally.slots()[1].with_xid, 10U);
    EXPECT_EQ(tally.slots()[2].samples, 13U);
    EXPECT_EQ(tally.slots()[2].with_xid, 3U);
}

TEST(Tally, AnXidIsAsOldAsTheLastLookOfTheWindowThatSawIt) {
    Tally tally(10);
    tally.add(dense({{1, 4990, 0, 0, 0}}));
    tally.add(later({{1, 4990, 0, 0, 0}}, {}, 5100));
    EXPECT_EQ(tally.take_window().xid_age, 110U);
    tally.add(later({{1, 5090, 0, 0, 0}}, {0}, 5101));
    EXPECT_EQ(tally.take_window().xid_age, 11U) << "the older one was over before this window";
    tally.add(later({{1, 5090, 0, 0, 0}}, {}, 5200));
    tally.add(later({{1, 0, 0, 0, 0}}, {0}, 5300));
    EXPECT_EQ(tally.take_window().xid_age, 110U);
    EXPECT_EQ(tally.take_window().xid_age, 0U);
}

TEST(Tally, XidsOfATornLookAreNotCounted) {
    Tally tally(10);
    tally.add(dense({{1, 4990, 0, 0, 0}}, Torn::counters));
    tally.add(dense({{1, 4991, 0, 0, 0}}));
    tally.add(dense({{1, 4000, 0, 0, 0}}, Torn::counters));
    const auto window = tally.take_window();
    EXPECT_EQ(window.with_xid, 1U);
    EXPECT_EQ(window.xid_age, 9U);
    EXPECT_EQ(tally.slots()[1].samples, 3U);
    EXPECT_EQ(tally.slots()[1].with_xid, 1U);
}

TEST(Tally, TheHorizonIsHeldByTheOldestThatCounts) {
    Tally tally(10);
    tally.add_xmins(dense({{1, 0, 4000, flag_in_vacuum, 0},
                           {2, 0, 4100, flag_in_logical_decoding, 0},
                           {3, 4950, 4900, 0, 0},
                           {4, 4890, 0, 0, 0}}));
    const auto window = tally.take_window();
    EXPECT_EQ(window.horizon_slot, 4U) << "an xid without xmin, as a prepared transaction has it, holds it too";
    EXPECT_EQ(window.horizon_age, 110U);
    EXPECT_EQ(window.xmin_age, 1000U);
    EXPECT_EQ(tally.slots()[4].held_horizon, 1U);
    EXPECT_EQ(tally.slots()[3].held_horizon, 0U);
}

TEST(Tally, AHorizonThatNobodyHoldsHasNoHolder) {
    Tally tally(10);
    tally.add_xmins(dense({{1, 0, 0, 0, 0}}));
    const auto window = tally.take_window();
    EXPECT_FALSE(window.horizon_slot);
    EXPECT_EQ(window.xmin_samples, 1U);
    EXPECT_EQ(window.horizon_age, 0U);
}

TEST(Tally, WaitsAndOwnersComeFromTheEntries) {
    Tally tally(10);
    ProcSample sample;
    sample.torn = Torn::no;
    sample.slots = {{1, 4100, 5, 10, 0x01000004, 0, 4800, 0}, {2, 4101, 6, 10, 0x06000000, 4900, 0, 0}};
    tally.add(sample, next_xid, true);
    tally.add(dense({{1, 0, 0, 0, 0}}));
    const auto window = tally.take_window();
    EXPECT_EQ(window.waiting, 1U);
    EXPECT_EQ(window.proc_samples, 1U);
    EXPECT_EQ(window.horizon_slot, 1U);
    EXPECT_EQ(tally.slots()[1].pid, 4100);
    EXPECT_TRUE(tally.slots()[1].taken);
    EXPECT_FALSE(tally.slots()[2].taken) << "it has left since";
}

} // namespace
} // namespace snapscope::mirror
