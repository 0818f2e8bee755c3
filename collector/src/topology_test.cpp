#include "topology.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/recording/core_latency.hpp>

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

namespace snapscope {
namespace {

using nlohmann::json;

std::vector<std::uint32_t> cpu_list(const std::string& text) {
    std::vector<std::uint32_t> out;
    for (const auto& range : split(text, ',')) {
        const auto ends = split(range, '-');
        for (auto cpu = *parse_integer<std::uint32_t>(ends.front()); cpu <= *parse_integer<std::uint32_t>(ends.back());
             ++cpu)
            out.push_back(cpu);
    }
    return out;
}

// A machine of cases/h09-topologies.json.
struct Machine {
    std::size_t sockets = 2, smt = 1, caches = 0;
    std::vector<std::vector<std::uint32_t>> nodes; // its CPUs: first threads, then their siblings
    [[nodiscard]] std::size_t cores_per_node() const { return nodes.front().size() / smt; }

    explicit Machine(const json& in) : smt(in.value("smt", std::size_t{1})) {
        if (in.contains("nodes")) {
            for (std::size_t node = 0; node < in["nodes"].size(); ++node)
                nodes.push_back(cpu_list(in["nodes"][std::to_string(node)]));
        } else {
            const std::uint32_t cores = in["cores_per_node"];
            const std::uint32_t sibling = in["first_smt_sibling_of_cpu0"];
            for (std::uint32_t node = 0; node < in["numa_nodes"]; ++node)
                nodes.push_back(cpu_list(fmt::format("{}-{},{}-{}", node * cores, (node + 1) * cores - 1,
                                                     sibling + node * cores, sibling + (node + 1) * cores - 1)));
        }
        caches = in.value("l3_count", nodes.size());
    }

    [[nodiscard]] std::string description() const {
        const std::size_t l3_per_node = caches / nodes.size();
        std::string numbers;
        for (const auto& node : nodes)
            for (std::size_t core = 0; core < cores_per_node(); ++core)
                for (std::size_t thread = 0; thread < smt; ++thread)
                    numbers += (numbers.empty() ? "" : ",") + std::to_string(node[core + thread * cores_per_node()]);
        return fmt::format("package:{} group:{} [numa] l3:{} core:{} pu:{}(indexes={})", sockets,
                           nodes.size() / sockets, l3_per_node, cores_per_node() / l3_per_node, smt, numbers);
    }
};

template <typename F> std::size_t distinct(const HostTopology& topology, F group) {
    std::set<std::uint32_t> out;
    for (const Cpu& cpu : topology.cpus)
        out.insert(group(cpu));
    return out.size();
}

std::map<std::uint32_t, Cpu> by_number(const HostTopology& topology) {
    std::map<std::uint32_t, Cpu> out;
    for (const Cpu& cpu : topology.cpus)
        out[cpu.cpu] = cpu;
    return out;
}

TEST(TopologyTest, RealMachinesHaveTheirSocketsNodesCachesAndSiblings) {
    std::ifstream in(SNAPSCOPE_SOURCE_DIR "/tests/cases/h09-topologies.json");
    const json cases = json::parse(in);
    ASSERT_EQ(cases.size(), 6U);
    for (const json& described : cases) {
        SCOPED_TRACE(described["id"].get<std::string>());
        const Machine machine(described);
        const auto topology = topology_from_synthetic(machine.description());
        ASSERT_TRUE(topology) << machine.description();
        const auto cpus = by_number(*topology);
        std::size_t count = 0;
        for (std::uint32_t node = 0; node < machine.nodes.size(); ++node) {
            const auto& of_node = machine.nodes[node];
            count += of_node.size();
            for (const auto number : of_node) {
                ASSERT_TRUE(cpus.contains(number)) << number;
                EXPECT_EQ(cpus.at(number).node, node) << number;
                EXPECT_EQ(cpus.at(number).socket, node / (machine.nodes.size() / machine.sockets)) << number;
            }
            if (machine.smt == 2) {
                EXPECT_EQ(border_between(cpus.at(of_node[0]), cpus.at(of_node[machine.cores_per_node()])),
                          Border::same_core);
            }
        }
        EXPECT_EQ(topology->cpus.size(), count);
        EXPECT_EQ(distinct(*topology, [](const Cpu& cpu) { return cpu.socket; }), machine.sockets);
        EXPECT_EQ(distinct(*topology, [](const Cpu& cpu) { return *cpu.llc; }), machine.caches);
        EXPECT_EQ(distinct(*topology, [](const Cpu& cpu) { return cpu.core; }), count / machine.smt);
    }
}

TEST(TopologyTest, TheBordersOfA16CacheMachineAreFourKinds) {
    const auto topology = topology_from_synthetic("package:2 group:4 [numa] l3:2 core:3 pu:2");
    ASSERT_TRUE(topology);
    const auto& cpus = topology->cpus; // 6 CPUs a cache, 12 a node, 48 a socket
    EXPECT_EQ(border_between(cpus[0], cpus[1]), Border::same_core);
    EXPECT_EQ(border_between(cpus[0], cpus[2]), Border::same_llc);
    EXPECT_EQ(border_between(cpus[0], cpus[6]), Border::same_node);
    EXPECT_EQ(border_between(cpus[0], cpus[12]), Border::cross_node);
    EXPECT_EQ(border_between(cpus[0], cpus[48]), Border::cross_socket);
}

TEST(TopologyTest, ACacheOverSeveralNodesIsStillOneCache) {
    const auto topology = topology_from_synthetic("package:1 l3:1 group:2 [numa] core:2 pu:1");
    ASSERT_TRUE(topology);
    EXPECT_EQ(topology->cpus[0].llc, topology->cpus[3].llc);
    EXPECT_NE(topology->cpus[0].node, topology->cpus[3].node);
}

TEST(TopologyTest, CpuNumbersMayHaveHolesAndGoRound) {
    const auto topology = topology_from_synthetic("package:2 [numa] l3:1 core:2 pu:1(indexes=0,6,1,9)");
    ASSERT_TRUE(topology);
    const auto cpus = by_number(*topology);
    EXPECT_EQ(cpus.size(), 4U);
    EXPECT_EQ(cpus.at(6).socket, 0U);
    EXPECT_EQ(cpus.at(1).socket, 1U);
    EXPECT_EQ(cpus.at(9).node, 1U);
    EXPECT_FALSE(cpus.contains(5));
}

TEST(TopologyTest, WithoutAThirdLevelTheSecondIsTheLast) {
    const auto topology = topology_from_synthetic("package:1 [numa] core:2 l2:1 l1d:1 pu:1");
    ASSERT_TRUE(topology);
    EXPECT_EQ(*topology->cpus[0].llc, 0U);
    EXPECT_EQ(*topology->cpus[1].llc, 1U);
    const auto bare = topology_from_synthetic("package:1 [numa] core:2 pu:1");
    ASSERT_TRUE(bare);
    EXPECT_EQ(bare->cpus[0].llc, std::nullopt);
}

// Two packages in one node, a node without CPUs beside it, CPU 3 offline, and a
// first package whose cores have an L2 cache in common and no L3.
constexpr const char* odd_machine = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
 <object type="Machine" os_index="0" cpuset="0x7" complete_cpuset="0xf" allowed_cpuset="0x7" nodeset="0x3"
         complete_nodeset="0x3" allowed_nodeset="0x3" gp_index="1">
  <object type="NUMANode" os_index="0" cpuset="0x7" complete_cpuset="0xf" nodeset="0x1" complete_nodeset="0x1"
          gp_index="2" local_memory="1073741824"/>
  <object type="NUMANode" os_index="1" cpuset="0x0" complete_cpuset="0x0" nodeset="0x2" complete_nodeset="0x2"
          gp_index="3" local_memory="1073741824"/>
  <object type="Package" os_index="0" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1"
          gp_index="4">
   <object type="L2Cache" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1" gp_index="5"
           cache_size="1048576" depth="2" cache_linesize="64" cache_associativity="16" cache_type="0">
    <object type="Core" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1"
            gp_index="6">
     <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1"
             gp_index="7"/>
    </object>
    <object type="Core" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1"
            gp_index="8">
     <object type="PU" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1"
             gp_index="9"/>
    </object>
   </object>
  </object>
  <object type="Package" os_index="1" cpuset="0x4" complete_cpuset="0xc" nodeset="0x1" complete_nodeset="0x1"
          gp_index="10">
   <object type="L3Cache" cpuset="0x4" complete_cpuset="0xc" nodeset="0x1" complete_nodeset="0x1" gp_index="11"
           cache_size="8388608" depth="3" cache_linesize="64" cache_associativity="16" cache_type="0">
    <object type="Core" os_index="0" cpuset="0x4" complete_cpuset="0x4" nodeset="0x1" complete_nodeset="0x1"
            gp_index="12">
     <object type="PU" os_index="2" cpuset="0x4" complete_cpuset="0x4" nodeset="0x1" complete_nodeset="0x1"
             gp_index="13"/>
    </object>
   </object>
  </object>
 </object>
</topology>
)";

TEST(TopologyTest, SeveralSocketsMayShareANodeAndACpuMayBeOffline) {
    const auto topology = topology_from_xml(odd_machine);
    ASSERT_TRUE(topology) << topology.error().message();
    ASSERT_EQ(topology->cpus.size(), 3U);
    for (const Cpu& cpu : topology->cpus)
        EXPECT_EQ(cpu.node, 0U) << cpu.cpu;
    EXPECT_EQ(topology->cpus[1].socket, 0U);
    EXPECT_EQ(topology->cpus[2].socket, 1U);
    EXPECT_EQ(topology->cpus[0].llc, topology->cpus[1].llc);
    EXPECT_NE(topology->cpus[1].llc, topology->cpus[2].llc); // an L2 and an L3 are not one number
    EXPECT_EQ(border_between(topology->cpus[1], topology->cpus[2]), Border::cross_socket);
}

TEST(TopologyTest, WhatIsNoDescriptionIsRefused) {
    EXPECT_FALSE(topology_from_synthetic("a machine"));
    EXPECT_FALSE(topology_from_xml("<topology"));
}

TEST(TopologyTest, ThisProcessMayUseACpuOfThisHost) {
    const auto topology = topology_of_host();
    ASSERT_TRUE(topology);
    EXPECT_FALSE(topology->cpus.empty());
    const auto allowed = allowed_cpus(*topology);
    EXPECT_FALSE(allowed.empty());
    EXPECT_LE(allowed.size(), topology->cpus.size());
}

} // namespace
} // namespace snapscope
