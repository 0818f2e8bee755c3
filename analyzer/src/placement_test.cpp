#include <snapscope/analyzer/placement.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace snapscope {
namespace {

using testing::ElementsAre;
using testing::Field;

// Two sockets of two nodes of one cache of two CPUs; CPU 7 is offline.
Run eight_cpus() {
    Run run;
    for (std::uint32_t cpu = 0; cpu < 7; ++cpu)
        run.host.cpus.push_back({cpu, cpu, cpu / 2, cpu / 4, cpu / 2});
    SourceStatus sched;
    sched.name = "sched";
    sched.state = SourceState::active;
    run.sources = {sched};
    run.totals = {{"migrations", "sched", "1", 9},
                  {"migrations_across_llc", "sched", "1", 5},
                  {"migrations_across_node", "sched", "1", 5},
                  {"migrations_across_socket", "sched", "1", 1}};
    Slot slot;
    slot.slot = 3;
    slot.pid = 99;
    slot.residency = {{0, 100}, {1, 200}, {2, 300}, {4, 400}};
    slot.migrations = 9;
    slot.migrations_across_llc = 5;
    run.slots = {slot};
    return run;
}

auto time(const char* group, std::int64_t ran) {
    return testing::AllOf(Field(&GroupTime::group, group), Field(&GroupTime::run_ns, ran));
}

TEST(PlacementTest, ResidencyIsSummedByEachGrouping) {
    const auto out = placement(eight_cpus());
    EXPECT_EQ(out.source, "sched");
    ASSERT_EQ(out.levels.size(), 3U);
    EXPECT_EQ(out.levels[0].by, "llc");
    EXPECT_EQ(out.levels[0].groups, 4U);
    EXPECT_THAT(out.levels[0].times, ElementsAre(time("0", 300), time("1", 300), time("2", 400)));
    EXPECT_THAT(out.levels[1].times, ElementsAre(time("0", 300), time("1", 300), time("2", 400)));
    EXPECT_EQ(out.levels[2].groups, 2U);
    EXPECT_THAT(out.levels[2].times, ElementsAre(time("0", 600), time("1", 400)));
    EXPECT_DOUBLE_EQ(out.levels[2].times[0].share, 0.6);
    ASSERT_EQ(out.slots.size(), 1U);
    EXPECT_EQ(out.slots[0].slot, 3U);
    EXPECT_EQ(out.slots[0].moves.across_llc, 5U);
    EXPECT_EQ(out.slots[0].moves.across_node, std::nullopt);
    EXPECT_EQ(out.moves.across_socket, 1U);
}

TEST(PlacementTest, SocketsOfOneNodeAreStillApart) {
    auto run = eight_cpus();
    for (Cpu& cpu : run.host.cpus)
        cpu.node = 0;
    const auto out = placement(run);
    EXPECT_THAT(out.levels[1].times, ElementsAre(time("0", 1000)));
    EXPECT_THAT(out.levels[2].times, ElementsAre(time("0", 600), time("1", 400)));
}

TEST(PlacementTest, ACpuThatCameOnlineLaterIsInNoGroup) {
    auto run = eight_cpus();
    run.slots[0].residency.push_back({7, 50});
    run.host.cpus[4].llc.reset();
    const auto out = placement(run);
    EXPECT_THAT(out.levels[0].times, ElementsAre(time("0", 300), time("1", 300), time("unknown", 450)));
    EXPECT_THAT(out.levels[2].times, ElementsAre(time("0", 600), time("1", 400), time("unknown", 50)));
}

TEST(PlacementTest, WhereNobodyWatchedThereIsNothing) {
    auto run = eight_cpus();
    run.sources[0].state = SourceState::unavailable;
    EXPECT_TRUE(to_json(placement(run)).is_null());
    run.sources.clear();
    EXPECT_TRUE(to_json(placement(run)).is_null());
}

TEST(PlacementTest, WhatSchedCouldNotTellIsNull) {
    auto run = eight_cpus();
    for (Total& total : run.totals)
        total.value.reset();
    run.slots.clear();
    const auto json = to_json(placement(run));
    EXPECT_TRUE(json["migrations"]["across_llc"].is_null());
    EXPECT_TRUE(json["residency"].empty());
}

TEST(PlacementTest, TheJsonHasSharesByGroup) {
    const auto json = to_json(placement(eight_cpus()));
    EXPECT_EQ(json["migrations"]["across_node"], 5);
    EXPECT_EQ(json["residency"]["socket"]["times"][1]["run_ns"], 400);
    EXPECT_EQ(json["slots"][0]["residency"]["llc"]["times"][2]["group"], "2");
    EXPECT_EQ(json["slots"][0]["migrations"]["across_llc"], 5);
}

} // namespace
} // namespace snapscope
