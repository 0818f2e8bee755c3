#include <snapscope/analyzer/latency_matrix.hpp>
#include <snapscope/analyzer/topology.hpp>

#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

namespace snapscope {
namespace {

using testing::HasSubstr;

Topology shape(const char* text) {
    return topology_from_shape(text).value();
}

TEST(Topology, ShapesAreSocketsCachesCoresThreads) {
    const Topology two = shape("2x24");
    EXPECT_EQ(two.cpus.size(), 48U);
    EXPECT_EQ(two.llcs, 2U);
    EXPECT_EQ(two.distance(0, 0), Distance::same_core);
    EXPECT_EQ(two.distance(0, 23), Distance::same_llc);
    EXPECT_EQ(two.distance(23, 24), Distance::cross_socket);
    const Topology epyc = shape("epyc");
    EXPECT_EQ(epyc.sockets, 2U);
    EXPECT_EQ(epyc.llcs, 16U);
    EXPECT_EQ(epyc.cores, 48U);
    EXPECT_EQ(epyc.cpus.size(), 96U);
    EXPECT_EQ(epyc.distance(0, 48), Distance::same_core) << "the second thread of the first core";
    EXPECT_EQ(epyc.distance(0, 3), Distance::cross_llc);
    EXPECT_EQ(epyc.distance(0, 24), Distance::cross_socket);
    EXPECT_EQ(shape("4x8").describe(), "4 sockets, 4 last-level caches, 32 cores, 32 CPUs");
}

TEST(Topology, WhatIsNoShapeIsRefused) {
    for (const char* text : {"", "2", "2x", "x2", "0x4", "2x0", "-2x4", "2x4x", "2x24x1x1x1", "2 x 4", "2X24", "1x1025",
                             "4096x4096x4096x4096", "2x24 "})
        EXPECT_FALSE(topology_from_shape(text)) << text;
}

TEST(Topology, ReadsLscpu) {
    constexpr const char* text = "# The following is the parsable format.\n"
                                 "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n"
                                 "0,0,0,0,,0,0,0,0\n"
                                 "1,1,0,0,,1,1,1,1\n"
                                 "2,2,1,1,,2,2,2,2\n"
                                 "3,0,0,0,,0,0,0,0\n";
    const auto topology = topology_from_text(text, "lscpu.txt").value();
    EXPECT_EQ(topology.cpus.size(), 4U);
    EXPECT_EQ(topology.distance(0, 3), Distance::same_core);
    EXPECT_EQ(topology.distance(0, 1), Distance::cross_llc);
    EXPECT_EQ(topology.distance(1, 2), Distance::cross_socket);
    EXPECT_FALSE(topology.llc_assumed);
    const auto joined =
        topology_from_text("# CPU,Core,Socket,Node,L1d:L1i:L2:L3\n0,0,0,0,0:0:0:0\n1,1,0,0,1:1:1:0\n", "x");
    EXPECT_EQ(joined->distance(0, 1), Distance::same_llc);
    EXPECT_FALSE(joined->llc_assumed);
    const auto bare = topology_from_text("# CPU,Core,Socket\n0,0,0\n1,1,0\n", "x").value();
    EXPECT_TRUE(bare.llc_assumed) << "nobody named a cache";
    EXPECT_EQ(bare.distance(0, 1), Distance::same_llc);
}

TEST(Topology, ReadsHwloc) {
    const auto topology = topology_from_text("package:2 l3:2 core:3 pu:2", "synthetic.txt").value();
    EXPECT_EQ(topology.sockets, 2U);
    EXPECT_EQ(topology.llcs, 4U);
    EXPECT_EQ(topology.cores, 12U);
    EXPECT_EQ(topology.cpus.size(), 24U);
}

TEST(Topology, WhatIsNoTopologyIsRefusedWithItsPlace) {
    EXPECT_THAT(topology_from_text("# CPU,Core,Socket\n0,0,0\nx,1,0\n", "f").error().what, HasSubstr("f:3"));
    EXPECT_THAT(topology_from_text("# CPU,Core,Socket\n0,0,0\n0,1,0\n", "f").error().what, HasSubstr("twice"));
    EXPECT_THAT(topology_from_text("# CPU,Core,Socket,L3\n0,0,0,0\n1,0,0,1\n", "f").error().what,
                HasSubstr("two last-level caches"));
    for (const char* text : {"", "# CPU,Core,Socket\n", "0,0,0\n", "<topology>", "<?xml version=\"1.0\"?><nonsense/>",
                             "package:zero", "hello"})
        EXPECT_FALSE(topology_from_text(text, "f")) << text;
}

TEST(Topology, DamagedTextIsRefusedOrReadNeverWorse) {
    const std::string good =
        "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n1,1,0,0,,1,1,1,0\n2,2,1,1,,2,2,2,1\n";
    std::mt19937_64 random(11);
    for (int i = 0; i < 3000; ++i) {
        std::string text = good;
        for (int edits = 0; edits < 3; ++edits)
            text[random() % text.size()] = static_cast<char>(random() % 128);
        text.resize(random() % 4 == 0 ? random() % text.size() : text.size());
        if (text.starts_with('<'))
            continue; // libxml's own business
        const auto topology = topology_from_text(text, "f");
        if (topology) {
            EXPECT_LE(topology->cpus.size(), max_topology_cpus);
            EXPECT_LE(topology->cores, topology->cpus.size());
        } else {
            EXPECT_FALSE(topology.error().what.empty());
        }
    }
}

// ---- latencies ----

std::string case_text(const char* name) {
    std::ifstream in(std::string(SNAPSCOPE_SOURCE_DIR "/tests/cases/") + name);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

TEST(Latencies, TheCasesTableGivesItsCrossSocketFactors) {
    const std::string text = case_text("core-to-core-latency.csv");
    ASSERT_FALSE(text.empty());
    const auto factor = [&](const char* machine) {
        const auto matrix = matrix_from_csv(text, "table", machine, 2.8).value();
        EXPECT_EQ(matrix.source, MatrixSource::file);
        EXPECT_FALSE(matrix.cycles[static_cast<std::size_t>(Distance::from_memory)]) << "nobody measured it there";
        return *matrix.cycles[static_cast<std::size_t>(Distance::cross_socket)] /
               *matrix.cycles[static_cast<std::size_t>(Distance::same_llc)];
    };
    EXPECT_NEAR(factor("xeon-gold-6242-2s"), 2.9, 0.06);
    EXPECT_NEAR(factor("xeon-e5-2680v4-2s"), 2.8, 0.06);
    const auto one_class = matrix_from_csv(text, "table", "graviton3-1s", 2.6).value();
    EXPECT_FALSE(one_class.cycles[static_cast<std::size_t>(Distance::cross_socket)]) << "one class, one socket";
    EXPECT_THAT(matrix_from_csv(text, "table", "", 2.8).error().what, HasSubstr("3 machines"));
    EXPECT_FALSE(matrix_from_csv(text, "table", "z80", 2.8));
}

TEST(Latencies, CalibratesFileIsMeasuredOrSaysOtherwise) {
    nlohmann::json file{{"origin", "measured"},
                        {"clock", {{"counter", "tsc"}, {"cycles_per_ns", 2.0}}},
                        {"borders",
                         {{{"border", "same_llc"}, {"one_way_cycles", {{"p50", 120.0}}}},
                          {{"border", "same_node"}, {"one_way_cycles", {{"p50", 200.0}}}},
                          {{"border", "cross_node"}, {"one_way_cycles", {{"p50", 260.0}}}}}},
                        {"loads", {{{"state", "dram"}, {"cycles", {{"p50", 230.0}}}}}}};
    const auto matrix = matrix_from_json(file.dump(), "cores.json").value();
    EXPECT_EQ(matrix.source, MatrixSource::measured);
    EXPECT_EQ(matrix.cycles_per_ns, 2.0);
    EXPECT_EQ(matrix.cycles[static_cast<std::size_t>(Distance::same_llc)], 120.0);
    EXPECT_EQ(matrix.cycles[static_cast<std::size_t>(Distance::cross_llc)], 260.0) << "the wider of two borders";
    EXPECT_EQ(matrix.cycles[static_cast<std::size_t>(Distance::from_memory)], 230.0);
    EXPECT_FALSE(matrix.cycles[static_cast<std::size_t>(Distance::cross_socket)]);
    file["origin"] = "synthetic";
    EXPECT_EQ(matrix_from_json(file.dump(), "cores.json")->source, MatrixSource::synthetic);
    file["borders"][0]["one_way_cycles"]["p50"] = -1;
    EXPECT_FALSE(matrix_from_json(file.dump(), "cores.json"));
    for (const char* text : {"", "[]", "{}", "{", "{\"origin\":\"measured\",\"clock\":{\"cycles_per_ns\":0}}",
                             "{\"origin\":7,\"clock\":{\"cycles_per_ns\":2}}"})
        EXPECT_FALSE(matrix_from_json(text, "x")) << text;
}

TEST(Latencies, ADistanceWithoutACostMakesTheCostUnknown) {
    CoherenceTally tally;
    tally.transfers = {0, 2, 0, 0, 0};
    tally.upgrades = {0, 1, 0, 0, 0};
    LatencyMatrix matrix;
    EXPECT_EQ(cost_cycles(matrix, tally), std::nullopt);
    matrix.cycles[1] = 100;
    EXPECT_EQ(cost_cycles(matrix, tally), 300);
    tally.transfers[3] = 1;
    EXPECT_EQ(cost_cycles(matrix, tally), std::nullopt);
    EXPECT_EQ(cost_cycles(synthetic_matrix(), tally), 3 * 130 + 400);
}

} // namespace
} // namespace snapscope
