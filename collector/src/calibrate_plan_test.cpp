#include "calibrate_plan.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace snapscope {
namespace {

// SOCKETS of CORES with two threads each.
std::vector<Cpu> machine(std::uint32_t sockets, std::uint32_t cores) {
    std::vector<Cpu> out;
    for (std::uint32_t cpu = 0; cpu < sockets * cores * 2; ++cpu) {
        const std::uint32_t core = cpu % (sockets * cores);
        out.push_back({cpu, core, core / cores, core / cores, core / cores});
    }
    return out;
}

std::map<Border, std::size_t> counts(const std::vector<CpuPair>& pairs) {
    std::map<Border, std::size_t> out;
    for (const auto& [a, b] : pairs)
        ++out[border_between(a, b)];
    return out;
}

TEST(CalibratePlan, AMachineThatIsSmallEnoughIsMeasuredWhole) {
    const auto pairs = plan_pairs(machine(2, 2), 28);
    EXPECT_EQ(pairs.size(), 28U); // 8 CPUs
    for (const auto& [a, b] : pairs)
        EXPECT_LT(a.cpu, b.cpu);
}

TEST(CalibratePlan, ASampleHasEveryBorderAndNoPairTwice) {
    const auto pairs = plan_pairs(machine(2, 24), 300); // 96 CPUs, 4560 pairs
    EXPECT_EQ(pairs.size(), 300U);
    const auto by_border = counts(pairs);
    EXPECT_EQ(by_border.at(Border::same_core), 48U); // all that there are
    EXPECT_EQ(by_border.at(Border::same_llc), 126U);
    EXPECT_EQ(by_border.at(Border::cross_socket), 126U);
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (const auto& [a, b] : pairs)
        EXPECT_TRUE(seen.emplace(a.cpu, b.cpu).second);
}

TEST(CalibratePlan, TheSameMachineHasTheSameSample) {
    const auto numbers = [](const std::vector<CpuPair>& pairs) {
        std::vector<std::uint32_t> out;
        for (const auto& [a, b] : pairs)
            out.insert(out.end(), {a.cpu, b.cpu});
        return out;
    };
    auto cpus = machine(2, 24);
    const auto once = numbers(plan_pairs(cpus, 100));
    std::ranges::reverse(cpus);
    EXPECT_EQ(numbers(plan_pairs(cpus, 100)), once);
}

TEST(CalibratePlan, OneCpuHasNoPair) {
    EXPECT_TRUE(plan_pairs({{3, 0, 0, 0, 0}}, 10).empty());
    EXPECT_TRUE(plan_pairs({}, 10).empty());
}

TEST(CalibratePlan, SomeOfEachBorderAreSpreadOverIt) {
    const auto some = some_of_each_border(plan_pairs(machine(2, 24), 5000), 4);
    for (const auto& [border, count] : counts(some))
        EXPECT_EQ(count, 4U) << to_string(border);
    std::set<std::uint32_t> first;
    for (const auto& [a, b] : some)
        if (border_between(a, b) == Border::cross_socket)
            first.insert(a.cpu);
    EXPECT_GT(first.size(), 2U);
}

} // namespace
} // namespace snapscope
