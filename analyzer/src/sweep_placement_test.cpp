#include "sweep_placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace snapscope {
namespace {

using testing::Contains;
using testing::Key;
using testing::Not;
using testing::Pair;

constexpr std::uint64_t segment = 0x7f0000000000;

// Two nodes of a CPU each; entries 100 and 111 in use, a line apart.
snapscope::Run placed_run() {
    snapscope::Run run;
    run.host.cpus = {{0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}};
    run.layout.arrays = {{"PGXACT", segment + (std::uint64_t{16} << 20U) + 0x80, 12, 200, 38, 0}};
    run.layout.memory.emplace();
    run.layout.memory->segment_address = segment;
    run.layout.memory->pages = {{"PGXACT", segment + (std::uint64_t{16} << 20U), 7, 1}};
    run.slots.resize(2);
    run.slots[0].slot = 100;
    run.slots[1].slot = 111;
    for (Slot& slot : run.slots)
        slot.pid = 1;
    run.slots[0].residency = {{0, 300}, {1, 100}};
    return run;
}

std::map<std::string, double> metrics_of(const snapscope::Run& run) {
    std::map<std::string, double> out;
    for (const PlacementMetric& metric : placement_metrics(run))
        out[metric.name] = metric.value;
    return out;
}

TEST(PlacementMetrics, SayWhereTheActiveBlockLiesAndWhoIsFarFromIt) {
    const auto metrics = metrics_of(placed_run());
    // Lines 18 and 20 of the array.
    EXPECT_THAT(metrics, Contains(Pair("active_lines", 2)));
    EXPECT_THAT(metrics, Contains(Pair("active_offset_mod_16mib", 0x80 + 1200)));
    EXPECT_THAT(metrics, Contains(Pair("other_node_time_share", 0.75)));
}

TEST(PlacementMetrics, LeaveOutWhatIsNotKnown) {
    auto run = placed_run();
    run.layout.memory->pages[0].node.reset();
    EXPECT_THAT(metrics_of(run), Not(Contains(Key("other_node_time_share"))));
    run = placed_run();
    run.slots[0].residency.clear();
    EXPECT_THAT(metrics_of(run), Not(Contains(Key("other_node_time_share")))) << "nobody ran: not zero";
    run.layout.memory.reset();
    EXPECT_THAT(metrics_of(run), Not(Contains(Key("active_offset_mod_16mib"))));
    EXPECT_THAT(metrics_of(run), Contains(Key("active_lines")));
    run.slots.clear();
    EXPECT_TRUE(metrics_of(run).empty());
}

TEST(PlacementMetrics, RefuseAnArrayThatNoServerHas) {
    auto run = placed_run();
    run.layout.arrays[0].entries = ~std::uint64_t{0};
    EXPECT_TRUE(metrics_of(run).empty());
}

} // namespace
} // namespace snapscope
