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

TEST(Tally, MeansComeFromTheLooksThatSaw) {
    Tally tally(10);
    tally.add(dense({{1, 4990, 0, 0, 0}, {2, 0, 0, 0, 0}}), false);
    tally.add(dense({{1, 0, 0, 0, 0}}, Torn::counters), false);
    tally.add(dense({}, Torn::roster), false);
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

TEST(Tally, TheHorizonIsHeldByTheOldestThatCounts) {
    Tally tally(10);
    tally.add(dense({{1, 0, 4000, flag_in_vacuum, 0},
                     {2, 0, 4100, flag_in_logical_decoding, 0},
                     {3, 4950, 4900, 0, 0},
                     {4, 4890, 0, 0, 0}}),
              true);
    const auto window = tally.take_window();
    EXPECT_EQ(window.horizon_slot, 4U) << "an xid without xmin, as a prepared transaction has it, holds it too";
    EXPECT_EQ(window.horizon_age, 110U);
    EXPECT_EQ(window.xmin_age, 1000U);
    EXPECT_EQ(tally.slots()[4].held_horizon, 1U);
    EXPECT_EQ(tally.slots()[3].held_horizon, 0U);
}

TEST(Tally, AHorizonThatNobodyHoldsHasNoHolder) {
    Tally tally(10);
    tally.add(dense({{1, 0, 0, 0, 0}}), true);
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
    tally.add(dense({{1, 0, 0, 0, 0}}), false);
    const auto window = tally.take_window();
    EXPECT_EQ(window.waiting, 1U);
    EXPECT_EQ(window.proc_samples, 1U);
    EXPECT_EQ(window.horizon_slot, 1U);
    EXPECT_EQ(tally.slots()[1].pid, 4100);
    EXPECT_TRUE(tally.taken(tally.slots()[1]));
    EXPECT_FALSE(tally.taken(tally.slots()[2])) << "it has left since";
    EXPECT_FALSE(tally.taken(tally.slots()[3]));
}

} // namespace
} // namespace snapscope::mirror
