#include "placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace snapscope {
namespace {

using testing::HasSubstr;

std::vector<std::uint32_t> socket_of(CpuPolicy policy, const char* shape, std::size_t slots) {
    const auto topology = topology_from_shape(shape).value();
    std::vector<std::uint32_t> active;
    for (std::uint32_t slot = 100; slot < 100 + slots; ++slot)
        active.push_back(slot);
    CpuPlacement placement(topology, policy, active);
    std::vector<std::uint32_t> out;
    for (const std::uint32_t slot : active)
        out.push_back(topology.cpus[placement.place(slot, 0).value()].socket);
    return out;
}

TEST(CpuPlacement, RoundRobinAlternatesSocketsAndPackedFillsThem) {
    EXPECT_EQ(socket_of(CpuPolicy::round_robin, "2x2", 6), (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1}));
    EXPECT_EQ(socket_of(CpuPolicy::packed, "2x2", 4), (std::vector<std::uint32_t>{0, 0, 1, 1}));
    EXPECT_EQ(socket_of(CpuPolicy::packed, "2x2", 8), (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1}));
    EXPECT_EQ(socket_of(CpuPolicy::packed, "2x2", 2), (std::vector<std::uint32_t>{0, 0})) << "fewer than cores";
}

TEST(CpuPlacement, RoundRobinUsesCoresBeforeThreads) {
    const auto topology = topology_from_shape("2x1x2x2").value();
    CpuPlacement placement(topology, CpuPolicy::round_robin, {1, 2, 3, 4, 5});
    std::set<std::uint32_t> cores;
    for (const std::uint32_t slot : {1U, 2U, 3U, 4U})
        cores.insert(topology.cpus[placement.place(slot, 0).value()].core);
    EXPECT_EQ(cores.size(), 4U);
}

TEST(CpuPlacement, ARecordedCpuThatTheMachineLacksIsRefused) {
    const auto topology = topology_from_shape("1x2").value();
    CpuPlacement placement(topology, CpuPolicy::recorded, {});
    EXPECT_EQ(placement.place(9, 1).value(), 1U);
    EXPECT_THAT(placement.place(9, 2).error().hint, HasSubstr("round-robin"));
}

TEST(CpuPlacement, ResidencyIsWhereItRanLongestElseWhatTheEventSays) {
    const auto topology = topology_from_shape("1x4").value();
    CpuPlacement placement(topology, CpuPolicy::residency, {});
    placement.set_residency(5, 3);
    EXPECT_EQ(placement.place(5, 0).value(), 3U);
    EXPECT_EQ(placement.place(6, 2).value(), 2U);
    EXPECT_EQ(placement.without_residency(), 1U);
}

ProcArrays arrays_of(std::uint32_t max_connections) {
    ProcSettings settings;
    settings.max_connections = max_connections;
    return compute_proc_arrays(settings);
}

TEST(SlotPlacement, EverySlotHasOneEntryForItself) {
    const auto arrays = arrays_of(200);
    for (const SlotPolicy policy :
         {SlotPolicy::recorded, SlotPolicy::scattered, SlotPolicy::contiguous, SlotPolicy::spread}) {
        SlotPlacement placement(arrays, policy, 1);
        std::set<std::uint32_t> entries;
        for (std::uint32_t slot = 0; slot < 210; ++slot) {
            const auto entry = placement.place(slot);
            EXPECT_TRUE(entries.insert(entry).second) << to_string(policy);
            EXPECT_EQ(placement.place(slot), entry);
            EXPECT_EQ(entry < 200, slot < 200) << "other processes stay";
        }
    }
}

TEST(SlotPlacement, ContiguousIsAsAfterAStartAndSpreadHasLinesToThemselves) {
    const auto arrays = arrays_of(200);
    SlotPlacement contiguous(arrays, SlotPolicy::contiguous, 1);
    EXPECT_EQ(contiguous.place(3), 199U);
    EXPECT_EQ(contiguous.place(177), 198U);
    SlotPlacement spread(arrays, SlotPolicy::spread, 1);
    std::set<std::uint64_t> lines;
    for (std::uint32_t slot = 0; slot < 30; ++slot) { // 200 entries: 37 lines
        const std::uint64_t first = spread.place(slot) * 12 / 64;
        const std::uint64_t last = (spread.place(slot + 0) * 12 + 11) / 64;
        EXPECT_TRUE(lines.insert(first).second);
        EXPECT_TRUE(first == last || lines.insert(last).second);
    }
}

} // namespace
} // namespace snapscope
