// Parts of a recording put together: counts add up, ages are the most, and what
// one part could not tell is unknown for all.

#include "run_parts.hpp"

#include <gmock/gmock.h>

namespace snapscope {
namespace {

using testing::ElementsAre;
using testing::Optional;

SourceStatus status(const char* name, SourceState state, const char* reason, std::uint64_t lost = 0) {
    SourceStatus row;
    row.name = name;
    row.state = state;
    row.reason = reason;
    row.start_ns = 10;
    row.end_ns = 20;
    row.lost = lost;
    if (lost > 0)
        row.losses = {{"ring_full", lost}};
    return row;
}

snapscope::Run part_with(std::vector<Total> totals, std::size_t windows = 1) {
    snapscope::Run part;
    part.totals = std::move(totals);
    part.windows.start_ns.resize(windows);
    part.windows.end_ns.resize(windows);
    return part;
}

snapscope::Run put_together(snapscope::Run first, snapscope::Run second) {
    RunParts parts;
    const std::size_t rows = first.windows.start_ns.size();
    const std::size_t all = rows + second.windows.start_ns.size();
    parts.add(std::move(first), 0);
    parts.add(std::move(second), rows);
    snapscope::Run whole;
    whole.windows.start_ns.resize(all);
    whole.windows.end_ns.resize(all);
    std::move(parts).put(whole);
    return whole;
}

TEST(RunParts, CountsAddUpAndAgesAreTheMost) {
    const auto whole = put_together(part_with({{"xids_assigned", "mirror", "1", 7},
                                               {"horizon_age", "mirror", "xids", 90},
                                               {"hitm_events_remote_error", "hitm", "1", 3}}),
                                    part_with({{"xids_assigned", "mirror", "1", 5},
                                               {"horizon_age", "mirror", "xids", 40},
                                               {"hitm_events_remote_error", "hitm", "1", 4}}));
    ASSERT_EQ(whole.totals.size(), 3U);
    EXPECT_EQ(whole.totals[0].value, 12);
    EXPECT_EQ(whole.totals[1].value, 90);
    EXPECT_EQ(whole.totals[2].value, 5);
}

TEST(RunParts, WhatOnePartCouldNotTellIsUnknownForAll) {
    const auto whole = put_together(part_with({{"xid_ends", "mirror", "1", std::nullopt}}),
                                    part_with({{"xid_ends", "mirror", "1", 5}}));
    ASSERT_EQ(whole.totals.size(), 1U);
    EXPECT_EQ(whole.totals[0].value, std::nullopt);
}

TEST(RunParts, TotalsOfAnotherSourceStayApart) {
    const auto whole = put_together(part_with({{"snapshots_taken", "ring", "1", 5}}),
                                    part_with({{"snapshots_taken", "ebpf", "1", 6}}));
    ASSERT_EQ(whole.totals.size(), 2U);
    EXPECT_EQ(whole.totals[0].value, 5);
    EXPECT_EQ(whole.totals[1].value, 6);
}

TEST(RunParts, HistogramsOfOneGridAreAdded) {
    auto first = part_with({});
    first.histograms = {{"snapshot_duration", "ring", "ns", "reused", {16, 32, 48}, {2, 3}, 17.0, 40.0}};
    auto second = part_with({});
    second.histograms = {{"snapshot_duration", "ring", "ns", "reused", {32, 48, 64}, {10, 20}, 33.0, 60.0}};
    const auto whole = put_together(std::move(first), std::move(second));
    ASSERT_EQ(whole.histograms.size(), 1U);
    EXPECT_THAT(whole.histograms[0].bounds, ElementsAre(16, 32, 48, 64));
    EXPECT_THAT(whole.histograms[0].counts, ElementsAre(2, 13, 20));
    EXPECT_THAT(whole.histograms[0].min, Optional(17.0));
    EXPECT_THAT(whole.histograms[0].max, Optional(60.0));
}

TEST(RunParts, HistogramsApartKeepAnEmptyBucketBetween) {
    auto first = part_with({});
    first.histograms = {{"snapshot_duration", "ring", "ns", "", {16, 32}, {2}, 17.0, 20.0}};
    auto second = part_with({});
    second.histograms = {{"snapshot_duration", "ring", "ns", "", {64, 80}, {4}, 65.0, 70.0}};
    const auto whole = put_together(std::move(first), std::move(second));
    EXPECT_THAT(whole.histograms[0].bounds, ElementsAre(16, 32, 64, 80));
    EXPECT_THAT(whole.histograms[0].counts, ElementsAre(2, 0, 4));
}

TEST(RunParts, MatricesAreAddedByTheirNames) {
    auto first = part_with({});
    first.matrices = {{"word_reads", "watch", "1", "core", {"0", "1"}, {"lock"}, {3, 4}}};
    auto second = part_with({});
    second.matrices = {{"word_reads", "watch", "1", "core", {"1"}, {"lock", "slot 2 xid"}, {10, 20}}};
    const auto whole = put_together(std::move(first), std::move(second));
    ASSERT_EQ(whole.matrices.size(), 1U);
    EXPECT_THAT(whole.matrices[0].readers, ElementsAre("0", "1"));
    EXPECT_THAT(whole.matrices[0].writers, ElementsAre("lock", "slot 2 xid"));
    EXPECT_THAT(whole.matrices[0].counts, ElementsAre(3, 0, 14, 20));
}

TEST(RunParts, ASlotIsThatOfAllItsOwners) {
    auto first = part_with({});
    first.slots.resize(1);
    first.slots[0].slot = 4;
    first.slots[0].pid = 100;
    first.slots[0].taken = 5;
    first.slots[0].residency = {{0, 7}, {1, 1}};
    auto second = part_with({});
    second.slots.resize(2);
    second.slots[0].slot = 2;
    second.slots[1].slot = 4;
    second.slots[1].pid = 200;
    second.slots[1].taken = 6;
    second.slots[1].migrations = 3;
    second.slots[1].residency = {{1, 10}};
    const auto whole = put_together(std::move(first), std::move(second));
    ASSERT_EQ(whole.slots.size(), 2U);
    EXPECT_EQ(whole.slots[0].slot, 2U);
    const Slot& slot = whole.slots[1];
    EXPECT_THAT(slot.pid, Optional(200U));
    EXPECT_THAT(slot.taken, Optional(11U));
    EXPECT_THAT(slot.migrations, Optional(3U));
    EXPECT_EQ(slot.reused, std::nullopt);
    ASSERT_EQ(slot.residency.size(), 2U);
    EXPECT_EQ(slot.residency[1].run_ns, 11);
}

TEST(RunParts, ASourceThatDidNotComeBackIsDegradedWithItsReason) {
    auto first = part_with({});
    first.sources = {status("sql", SourceState::active, ""), status("ring", SourceState::active, "", 3),
                     status("ebpf", SourceState::unavailable, "no rights")};
    auto second = part_with({});
    second.sources = {status("ring", SourceState::degraded, "4 events lost", 4),
                      status("sql", SourceState::unavailable, "login failed")};
    const auto whole = put_together(std::move(first), std::move(second));
    ASSERT_EQ(whole.sources.size(), 3U);
    EXPECT_EQ(whole.sources[0].state, SourceState::degraded);
    EXPECT_EQ(whole.sources[0].reason, "not attached again after a gap: login failed");
    EXPECT_EQ(whole.sources[1].state, SourceState::degraded);
    EXPECT_EQ(whole.sources[1].lost, 7U);
    EXPECT_EQ(whole.sources[1].losses[0].count, 7U);
    EXPECT_EQ(whole.sources[2].state, SourceState::unavailable);
    EXPECT_EQ(whole.sources[2].reason, "no rights");
}

TEST(RunParts, SeriesThatSourcesAddAtTheirEndLieInTheirWindows) {
    auto first = part_with({}, 2);
    first.windows.series = {{"hitm_samples_remote", "hitm", "samples", {1, 2}}};
    auto gap = part_with({}, 1);
    auto last = part_with({}, 2);
    last.windows.series = {{"hitm_samples_remote", "hitm", "samples", {5}},
                           {"upi_in_bytes", "pcm", "bytes", {std::nullopt, 8}}};
    RunParts parts;
    parts.add(std::move(first), 0);
    parts.add(std::move(gap), 2);
    parts.add(std::move(last), 3);
    snapscope::Run whole;
    whole.windows.start_ns.resize(5);
    std::move(parts).put(whole);
    ASSERT_EQ(whole.windows.series.size(), 2U);
    EXPECT_THAT(whole.windows.series[0].values,
                ElementsAre(Optional(1.0), Optional(2.0), std::nullopt, Optional(5.0), std::nullopt));
    EXPECT_THAT(whole.windows.series[1].values,
                ElementsAre(std::nullopt, std::nullopt, std::nullopt, std::nullopt, Optional(8.0)));
}

TEST(RunParts, LinesOfAScanAreWeighedByScans) {
    auto first = part_with({{"snapshots_rebuilt", "ring", "1", 30}, {"snapshots_private_scans", "ring", "1", 0}});
    first.layout.lines_per_scan = 10;
    auto second = part_with({{"snapshots_rebuilt", "ring", "1", 5}, {"snapshots_private_scans", "ring", "1", 5}});
    second.layout.lines_per_scan = 20;
    EXPECT_THAT(put_together(std::move(first), std::move(second)).layout.lines_per_scan, Optional(12.5));
}

} // namespace
} // namespace snapscope
