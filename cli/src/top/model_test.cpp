#include "model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope::cli {
namespace {

using testing::ElementsAre;
using testing::Optional;

SessionInfo info() {
    SessionInfo out;
    out.postmaster.pid = 812;
    out.host.cpus = {{0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}};
    out.series = {{"snapshots_taken", "ring", "1", {}},
                  {"horizon_age", "mirror", "xids", {}},
                  {"lock_exclusive_share", "mirror", "1", {}}};
    return out;
}

SessionSample sample(double taken) {
    SessionSample out;
    out.start_ns = 1'000'000'000;
    out.end_ns = 3'000'000'000;
    out.values = {taken, 40, 0.25};
    SourceStatus mirror;
    mirror.name = "mirror";
    mirror.kind = EvidenceKind::sampled;
    out.sources = {mirror};
    return out;
}

Histogram durations(std::vector<double> bounds, std::vector<std::uint64_t> counts) {
    return {"snapshot_duration", "ring", "ns", "", std::move(bounds), std::move(counts), 1.0, 1000.0};
}

Slot slot(std::uint32_t number, std::uint64_t taken, std::vector<CpuShare> residency) {
    Slot out;
    out.slot = number;
    out.pid = 100 + number;
    out.taken = taken;
    out.residency = std::move(residency);
    return out;
}

TEST(TopModelTest, DifferencesBecomeRatesAndStatesStayWhatTheyAre) {
    TopModel model;
    model.attached(info());
    model.add(sample(300));
    EXPECT_THAT(model.state().number("snapshots_taken")->value, Optional(150.0));
    EXPECT_THAT(model.state().number("horizon_age")->value, Optional(40.0));
    EXPECT_THAT(model.state().number("lock_exclusive_share")->value, Optional(0.25));
    EXPECT_EQ(model.state().number("horizon_age")->kind, EvidenceKind::sampled);
    EXPECT_EQ(model.state().number("unheard_of"), nullptr);
}

TEST(TopModelTest, WhatASourceCannotTellIsAbsent) {
    TopModel model;
    model.attached(info());
    auto unknown = sample(0);
    unknown.values[0].reset();
    model.add(unknown);
    EXPECT_EQ(model.state().number("snapshots_taken")->value, std::nullopt);
    EXPECT_THAT(model.state().history, ElementsAre(std::nullopt));
}

TEST(TopModelTest, TheFirstSourceThatTellsCounts) {
    TopModel model;
    auto two = info();
    two.series.push_back({"snapshots_taken", "ebpf", "1", {}});
    model.attached(two);
    auto both = sample(300);
    both.values.emplace_back(302);
    model.add(both);
    EXPECT_EQ(model.state().number("snapshots_taken")->source, "ring");
    both.values[0].reset();
    model.add(both);
    EXPECT_EQ(model.state().number("snapshots_taken")->source, "ebpf");
}

TEST(TopModelTest, PercentilesAreOfTheLastIntervalAlone) {
    TopModel model;
    model.attached(info());
    auto first = sample(1);
    first.look.histograms = {durations({0, 100, 200}, {1000, 0})};
    model.add(first);
    EXPECT_EQ(model.state().durations[0].timed, 1000U);
    EXPECT_EQ(model.state().durations[0].p50->high, 100);
    auto second = sample(1);
    second.look.histograms = {durations({0, 100, 200, 400}, {1000, 0, 5})}; // a bucket more, five snapshots more
    model.add(second);
    EXPECT_EQ(model.state().durations[0].timed, 5U);
    EXPECT_EQ(model.state().durations[0].p50->low, 200);
    EXPECT_EQ(model.state().durations[0].p99->high, 400);
}

TEST(TopModelTest, SlotsArePlacedWhereTheyRanInTheInterval) {
    TopModel model;
    model.attached(info());
    auto first = sample(1);
    first.look.slots = {slot(3, 100, {{0, 1'000'000'000}})};
    model.add(first);
    EXPECT_THAT(model.state().slots[0].snapshots_per_s, Optional(50.0));
    EXPECT_THAT(model.state().slots[0].cpu_share, Optional(0.5));
    EXPECT_THAT(model.state().slots[0].socket, Optional(0U));
    auto second = sample(1);
    second.look.slots = {slot(3, 100, {{0, 1'000'000'000}, {1, 200'000'000}})};
    model.add(second);
    EXPECT_THAT(model.state().slots[0].snapshots_per_s, Optional(0.0));
    EXPECT_THAT(model.state().slots[0].cpu_share, Optional(0.1));
    EXPECT_THAT(model.state().slots[0].socket, Optional(1U));
    model.add(second); // did not run: still where it was
    EXPECT_THAT(model.state().slots[0].socket, Optional(1U));
}

TEST(TopModelTest, AServerThatIsAwayLeavesAGapAndNoOldNumbers) {
    TopModel model;
    model.attached(info());
    model.add(sample(300));
    model.away("the server has ended");
    model.away("the server has ended, still");
    EXPECT_EQ(model.state().gaps, 1U);
    EXPECT_TRUE(model.state().numbers.empty());
    EXPECT_EQ(model.state().interval_s, 0);
    model.attached(info());
    model.add(sample(100));
    EXPECT_EQ(model.state().trouble, "");
    EXPECT_THAT(model.state().history, ElementsAre(Optional(150.0), std::nullopt, std::nullopt, Optional(50.0)));
}

TEST(TopModelTest, ASlotAfterARestartBeginsAnew) {
    TopModel model;
    model.attached(info());
    auto before = sample(1);
    before.look.slots = {slot(3, 1000, {})};
    model.add(before);
    model.away("ended");
    model.attached(info());
    auto after = sample(1);
    after.look.slots = {slot(3, 10, {})};
    model.add(after);
    EXPECT_THAT(model.state().slots[0].snapshots_per_s, Optional(5.0));
    EXPECT_EQ(model.state().slots[0].cpu_share, std::nullopt);
}

} // namespace
} // namespace snapscope::cli
