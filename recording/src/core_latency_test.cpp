#include <snapscope/recording/core_latency.hpp>

#include <cmath>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace snapscope {
namespace {

using nlohmann::json;
using testing::HasSubstr;

CorePair pair_of(std::uint32_t a, std::uint32_t b, Border border, double cycles) {
    CorePair pair;
    pair.a = a;
    pair.b = b;
    pair.border = border;
    pair.one_way_cycles = {cycles - 2, cycles - 1, cycles, cycles + 1, cycles + 30};
    pair.counter_offset_cycles = -4;
    pair.counter_offset_bound = cycles;
    pair.rounds = 200;
    return pair;
}

// Two sockets of two cores; the pair 1-3 was not measured.
CoreLatencies two_sockets() {
    CoreLatencies out;
    out.tool_version = "0.1.0";
    out.host = {"db1", "Linux", "Model", "x86_64", "kvm", {}, 0};
    out.host.cpus = {{0, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, {2, 2, 1, 1, 1}, {3, 3, 1, 1, std::nullopt}};
    out.counter = "tsc";
    out.cycles_per_ns = 2;
    out.pairs_possible = 6;
    out.pairs = {pair_of(0, 1, Border::same_llc, 100), pair_of(0, 2, Border::cross_socket, 280),
                 pair_of(0, 3, Border::cross_socket, 300), pair_of(1, 2, Border::cross_socket, 290),
                 pair_of(2, 3, Border::same_llc, 104)};
    out.borders = border_costs(out.pairs);
    out.loads = {{Border::cross_socket, LineState::dirty_remote, 500, {300, 310, 320, 400, 500}}};
    out.threshold = LoadThreshold{150, 100, 200, 250, 1, 260, 3};
    out.separable = {{Border::cross_socket, LineState::own, LineState::dirty_remote, 0.01}};
    out.warnings = {"busy"};
    return out;
}

TEST(CoreLatency, WhatIsWrittenIsReadBack) {
    const auto out = core_latencies_from_json(core_latencies_to_json(two_sockets()));
    ASSERT_TRUE(out) << out.error().message();
    EXPECT_EQ(core_latencies_to_json(*out)["pairs"], core_latencies_to_json(two_sockets())["pairs"]);
    EXPECT_EQ(core_latencies_to_json(*out)["borders"], core_latencies_to_json(two_sockets())["borders"]);
    EXPECT_EQ(core_latencies_to_json(*out)["loads"], core_latencies_to_json(two_sockets())["loads"]);
    EXPECT_EQ(core_latencies_to_json(*out)["threshold"], core_latencies_to_json(two_sockets())["threshold"]);
    EXPECT_EQ(core_latencies_to_json(*out)["separable"], core_latencies_to_json(two_sockets())["separable"]);
    EXPECT_EQ(core_latencies_to_json(*out)["cpus"], core_latencies_to_json(two_sockets())["cpus"]);
    EXPECT_FALSE(out->synthetic);
}

TEST(CoreLatency, ASyntheticMatrixSaysSo) {
    auto made_up = two_sockets();
    made_up.synthetic = true;
    const auto file = core_latencies_to_json(made_up);
    EXPECT_EQ(file["origin"], "synthetic");
    EXPECT_TRUE(core_latencies_from_json(file)->synthetic);
}

TEST(CoreLatency, APairThatWasNotMeasuredHasItsBordersMedian) {
    const auto latencies = two_sockets();
    EXPECT_EQ(one_way_ns(latencies, 0, 1), 50);
    EXPECT_EQ(one_way_ns(latencies, 2, 0), 140);
    EXPECT_EQ(one_way_ns(latencies, 3, 1), 145); // the median of 140, 145 and 150
    EXPECT_EQ(one_way_ns(latencies, 3, 3), 0);
    EXPECT_EQ(one_way_ns(latencies, 0, 9), std::nullopt);
}

TEST(CoreLatency, APairWithoutARoundHasNoLatency) {
    auto latencies = two_sockets();
    latencies.pairs = {pair_of(0, 1, Border::same_llc, 100)};
    latencies.pairs[0].rounds = 0;
    latencies.borders = border_costs(latencies.pairs);
    EXPECT_TRUE(core_latencies_to_json(latencies)["pairs"][0]["one_way_ns"].is_null());
    EXPECT_TRUE(latencies.borders.empty());
    EXPECT_EQ(one_way_ns(latencies, 0, 1), std::nullopt);
    EXPECT_TRUE(core_latencies_from_json(core_latencies_to_json(latencies)));
}

TEST(CoreLatency, BordersFollowTheTopology) {
    const Cpu cpu{0, 0, 0, 0, 0};
    EXPECT_EQ(border_between(cpu, {1, 0, 0, 0, 0}), Border::same_core);
    EXPECT_EQ(border_between(cpu, {1, 1, 0, 0, 0}), Border::same_llc);
    EXPECT_EQ(border_between(cpu, {1, 1, 0, 0, 1}), Border::same_node);
    EXPECT_EQ(border_between(cpu, {1, 1, 0, 0, std::nullopt}), Border::same_node);
    EXPECT_EQ(border_between(cpu, {1, 1, 1, 0, 1}), Border::cross_node);
    EXPECT_EQ(border_between(cpu, {1, 1, 0, 1, 1}), Border::cross_socket); // two sockets, one node
}

TEST(CoreLatency, ABorderCostsOnlyBeyondTheSpreadOfTheNarrowerOnes) {
    std::vector<CorePair> pairs;
    for (std::uint32_t i = 1; i <= 20; ++i) {
        pairs.push_back(pair_of(0, i, Border::same_llc, 100 + 2.0 * i));         // 102 to 140
        pairs.push_back(pair_of(0, 100 + i, Border::cross_node, 104 + 2.0 * i)); // lies among them
        pairs.push_back(pair_of(0, 200 + i, Border::cross_socket, 300 + i));
    }
    const auto costs = border_costs(pairs);
    ASSERT_EQ(costs.size(), 3U);
    EXPECT_EQ(costs[0].costs, std::nullopt); // nothing narrower was measured
    EXPECT_EQ(costs[1].costs, false);
    EXPECT_EQ(costs[2].costs, true);
    EXPECT_NEAR(*costs[2].factor, 310.0 / 124, 1e-9);
}

// cases/core-to-core-latency.csv: published figures, one row a machine and class.
TEST(CoreLatency, PublishedMachinesHaveTheBordersThatTheyAreKnownFor) {
    std::map<std::string, std::vector<CorePair>> machines;
    std::ifstream in(SNAPSCOPE_SOURCE_DIR "/tests/cases/core-to-core-latency.csv");
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        std::istringstream fields(line);
        std::vector<std::string> f;
        for (std::string field; std::getline(fields, field, ',');)
            f.push_back(field);
        ASSERT_EQ(f.size(), 8U) << line;
        const auto border = f[2] == "smt_sibling" ? Border::same_core : *border_named(f[2]);
        // Three pairs stand for the class: its least, its median, its 95th percentile.
        for (const std::size_t column : {4U, 5U, 6U})
            machines[f[0]].push_back(pair_of(0, 1, border, std::stod(f[column])));
    }
    ASSERT_EQ(machines.size(), 3U);
    const auto xeon = border_costs(machines["xeon-gold-6242-2s"]);
    ASSERT_EQ(xeon.size(), 3U);
    EXPECT_EQ(xeon[2].border, Border::cross_socket);
    EXPECT_EQ(xeon[2].costs, true);
    EXPECT_NEAR(*xeon[2].factor, 2.9, 0.05);
    const auto broadwell = border_costs(machines["xeon-e5-2680v4-2s"]);
    EXPECT_EQ(broadwell[2].costs, true);
    EXPECT_NEAR(*broadwell[2].factor, 2.8, 0.05);
    const auto graviton = border_costs(machines["graviton3-1s"]);
    ASSERT_EQ(graviton.size(), 1U); // one class: no border to cost anything
    EXPECT_EQ(graviton[0].costs, std::nullopt);
}

// cases/h06-mlc-and-counts.json: what a load takes from either node's memory.
TEST(CoreLatency, PublishedRemoteMemoryCostsTwoThirdsMore) {
    std::ifstream in(SNAPSCOPE_SOURCE_DIR "/tests/cases/h06-mlc-and-counts.json");
    const auto ns = json::parse(in)["mlc_idle_latency_ns"];
    for (const std::uint32_t from : {0U, 1U}) {
        const std::uint32_t to = 1 - from;
        const auto costs = border_costs({pair_of(0, 1, Border::same_node, ns[from][from].get<double>()),
                                         pair_of(2, 3, Border::same_node, ns[from][from].get<double>()),
                                         pair_of(0, 2, Border::cross_socket, ns[from][to].get<double>()),
                                         pair_of(1, 3, Border::cross_socket, ns[from][to].get<double>())});
        ASSERT_EQ(costs.size(), 2U);
        EXPECT_EQ(costs[1].costs, true);
        EXPECT_GT(*costs[1].factor, 1.66);
        EXPECT_LT(*costs[1].factor, 1.77);
    }
}

TEST(CoreLatency, WhatIsDamagedIsRefusedWithItsPlace) {
    const json good = core_latencies_to_json(two_sockets());
    const std::vector<std::pair<std::string, json>> damages{{"/schema_version", 2},
                                                            {"/origin", "guessed"},
                                                            {"/clock/cycles_per_ns", 0},
                                                            {"/pairs/1/cpu_a", -1},
                                                            {"/pairs/1/cpu_a", 7},
                                                            {"/pairs/1/border", "same_room"},
                                                            {"/pairs/2/one_way_cycles", 5},
                                                            {"/pairs/0/one_way_cycles/p50", 1e9},
                                                            {"/pairs/0/rounds", 1.5},
                                                            {"/cpus/0/core", "0"},
                                                            {"/cpus/1/cpu", 0},
                                                            {"/threshold/missed", 251},
                                                            {"/loads/0/state", "modified"},
                                                            {"/pairs", json::object()}};
    for (const auto& [place, value] : damages) {
        json bad = good;
        bad[json::json_pointer(place)] = value;
        const auto out = core_latencies_from_json(bad);
        ASSERT_FALSE(out) << place;
        EXPECT_THAT(out.error().what, HasSubstr(place.substr(0, place.find('/', 1)))) << place;
    }
    for (const auto& [name, value] : good.items()) {
        json bad = good;
        bad.erase(name);
        if (name != "warnings" && name != "borders" && name != "sampled") { // said again, not read
            EXPECT_FALSE(core_latencies_from_json(bad)) << name;
        }
    }
    EXPECT_FALSE(core_latencies_from_json(json::array()));
}

} // namespace
} // namespace snapscope
