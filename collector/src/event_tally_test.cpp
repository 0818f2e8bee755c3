#include <snapscope/collector/event_tally.hpp>

#include <gtest/gtest.h>

namespace snapscope {
namespace {

snapscope_record event(snapscope_event type, std::uint8_t outcome = 0) {
    snapscope_record record{};
    record.type = static_cast<std::uint8_t>(type);
    record.outcome = outcome;
    return record;
}

TEST(EventTally, PairsStartAndDoneOfOneSlot) {
    EventTally tally(2);
    tally.add(0, event(SNAPSCOPE_EV_SNAPSHOT_START), 100);
    tally.add(1, event(SNAPSCOPE_EV_SNAPSHOT_START), 150);
    tally.add(0, event(SNAPSCOPE_EV_SNAPSHOT_DONE, SNAPSCOPE_OUTCOME_REUSED), 400);
    tally.add(1, event(SNAPSCOPE_EV_SNAPSHOT_DONE, SNAPSCOPE_OUTCOME_REBUILT), 1150);
    EXPECT_EQ(tally.of_type(SNAPSCOPE_EV_SNAPSHOT_DONE), 2U);
    const auto histograms = duration_histograms(tally.durations(), "ring");
    ASSERT_EQ(histograms.size(), 3U);
    EXPECT_EQ(histograms[0].label, "reused");
    EXPECT_EQ(histograms[0].min, 300);
    EXPECT_EQ(histograms[1].label, "rebuilt");
    EXPECT_EQ(histograms[1].max, 1000);
    EXPECT_EQ(histograms[2].label, "");
}

TEST(EventTally, NoPairReachesAcrossAGap) {
    EventTally tally(1);
    tally.add(0, event(SNAPSCOPE_EV_SNAPSHOT_START), 100);
    tally.gap(0);
    tally.add(0, event(SNAPSCOPE_EV_SNAPSHOT_DONE, SNAPSCOPE_OUTCOME_REUSED), 900);
    EXPECT_EQ(tally.snapshots(SNAPSCOPE_OUTCOME_REUSED), 1U);
    EXPECT_TRUE(duration_histograms(tally.durations(), "ring").empty());
}

TEST(EventTally, OutcomeOutsideTheEnumIsCountedAsNone) {
    EventTally tally(1);
    tally.add(0, event(SNAPSCOPE_EV_SNAPSHOT_DONE, 200), 900);
    EXPECT_EQ(tally.snapshots(SNAPSCOPE_OUTCOME_NONE), 1U);
}

} // namespace
} // namespace snapscope
