// Diff over workloads, floors and gates; the power of its tests by simulation.
#include "case_file.hpp"

#include <snapscope/analyzer/diff.hpp>

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

namespace snapscope {
namespace {

using test::case_file;
using testing::Contains;
using testing::HasSubstr;

std::vector<Measurement> rows(const std::string& csv, const std::string& label = "x.csv") {
    auto out = measurements_from_csv(csv, label);
    EXPECT_TRUE(out) << out.error().message();
    return out ? std::move(*out) : std::vector<Measurement>{};
}

std::vector<Measurement> runs(const std::vector<double>& tps, const std::string& metric = "tps") {
    std::vector<Measurement> out;
    for (const double value : tps) {
        out.emplace_back().label = "run";
        out.back().values[metric] = {value, "csv"};
    }
    return out;
}

TEST(DiffCases, GainsWithoutRepeatsArePrintedByWorkloadAndNeverProven) {
    const auto json = nlohmann::json::parse(case_file("h01-cached-snapshot-poc.json"));
    std::string base = "workload,clients,tps\n";
    std::string cached = base;
    for (const auto& row : json["gains_percent"]) {
        const std::string who = row["workload"].get<std::string>();
        const std::string clients = std::to_string(row["clients"].get<int>());
        base += '"' + who + "\"," + clients + ",100\n";
        cached += '"' + who + "\"," + clients + "," + std::to_string(100 + row["gain"].get<int>()) + "\n";
    }
    const auto result = diff(rows(base), rows(cached));
    ASSERT_TRUE(result) << result.error().message();
    ASSERT_EQ(result->metrics.size(), 3U);
    for (const MetricDiff& metric : result->metrics) {
        EXPECT_FALSE(metric.workload.empty());
        EXPECT_EQ(metric.comparison.verdict, Verdict::too_few_runs) << metric.workload;
        EXPECT_FALSE(metric.comparison.interval_percent);
        for (const auto& row : json["gains_percent"])
            if (metric.workload.starts_with(row["workload"].get<std::string>())) {
                EXPECT_NEAR(*metric.comparison.change_percent, row["gain"].get<double>(), 1e-9);
            }
    }
    EXPECT_FALSE(result->regression());
}

TEST(DiffCases, WorkloadsThatOnlyOneSideHasAreRefused) {
    EXPECT_THAT(diff(rows("clients,tps\n1,10\n2,20\n"), rows("clients,tps\n1,10\n4,20\n")).error().message(),
                HasSubstr("same number of clients"));
    const auto result = diff(rows("clients,tps\n1,10\n2,20\n"), rows("clients,tps\n2,21\n1,11\n"));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->metrics[0].workload, "1 clients");
    EXPECT_NEAR(*result->metrics[0].comparison.change_percent, 10, 1e-9);
}

TEST(DiffCases, ReconnectingRunsAreNotComparedWithPersistentOnes) {
    const std::string header = "reconnect,tps_including_connect,tps_excluding_connect\n";
    const auto reconnecting = rows(header + "1,388.651729,135108.207053\n");
    const auto persistent = rows(header + "0,18386.280802,18419.581888\n");
    EXPECT_EQ(reconnecting[0].values.at("tps").value, 388.651729) << "the excluding figure means nothing";
    EXPECT_THAT(diff(persistent, reconnecting).error().message(), HasSubstr("with and without -C"));
    EXPECT_THAT(reconnecting[0].warnings, Contains(HasSubstr("tps_excluding_connect means nothing")));
    const auto excluding = rows("tps_excluding_connect\n18419.58\n");
    const auto including = rows("tps_including_connect\n18386.28\n");
    EXPECT_THAT(diff(excluding, including).error().message(), HasSubstr("same of pgbench's two figures"));
}

TEST(DiffCases, AColdFirstRunOfEachSizeIsFlagged) {
    std::string four = "tps\n10470.840152\n34231.058871\n34135.181026\n34300\n";
    const auto result = diff(rows(four), rows("tps\n34231\n34135\n34200\n34210\n"));
    ASSERT_TRUE(result);
    EXPECT_THAT(result->warnings, Contains(HasSubstr("base: the first run looks cold (31 %")));
}

TEST(DiffCases, TheTestSaysWhatItComparesAsDifferences) {
    const auto off = runs({0, 0, 0, 0}, "reused_share");
    const auto copy = runs({0.91, 0.92, 0.93, 0.94}, "reused_share");
    EXPECT_EQ(diff(off, copy)->test, "exact Mann-Whitney on the values");
    auto base = off;
    auto other = copy;
    for (std::size_t i = 0; i < 4; ++i) {
        base[i].values["tps"] = {100.0 + static_cast<double>(i), "csv"};
        other[i].values["tps"] = {110.0 + static_cast<double>(i), "csv"};
    }
    EXPECT_EQ(diff(base, other)->test,
              "exact Mann-Whitney on logarithms; on the values for reused_share (not above 0)");
    EXPECT_EQ(to_json(*diff(off, copy))["metrics"][0]["scale"], "difference");
}

TEST(DiffCases, AChangeWithinTheFloorIsNoRegression) {
    const auto base = runs({1000, 1001, 1002, 1003, 1004, 1005});
    const auto other = runs({990, 991, 992, 993, 994, 995});
    EXPECT_TRUE(diff(base, other)->regression());
    const auto again = runs({980, 1020, 985, 1015, 1000, 1003});
    const auto floored = diff(base, other, again);
    ASSERT_TRUE(floored);
    EXPECT_EQ(floored->metrics[0].comparison.verdict, Verdict::lower) << "the verdict stays what the test says";
    EXPECT_TRUE(floored->metrics[0].within_floor());
    EXPECT_FALSE(floored->regression());
    EXPECT_THAT(floored->warnings, Contains(HasSubstr("within the A/A floor")));
    const auto drifting = diff(base, other, runs({900, 901, 902, 903, 904, 905}));
    EXPECT_THAT(drifting->warnings, Contains(HasSubstr("not the same throughout")));
    EXPECT_FALSE(diff(base, runs({900, 901, 902, 903, 904, 905}), again)->metrics[0].within_floor());
}

TEST(DiffCases, AGateOnOneMetricSeesOthersNot) {
    const auto with = [](std::vector<Measurement> group, double latency) {
        for (std::size_t i = 0; i < group.size(); ++i)
            group[i].values["latency_ms"] = {latency + 0.001 * static_cast<double>(i), "csv"};
        return group;
    };
    const std::vector<double> tps{100, 101, 102, 103, 104, 105};
    const auto result = diff(with(runs(tps), 1.0), with(runs(tps), 1.2));
    EXPECT_TRUE(result->regression());
    EXPECT_TRUE(result->regression("latency_ms"));
    EXPECT_FALSE(result->regression("tps"));
    EXPECT_TRUE(result->has_metric("tps"));
    EXPECT_FALSE(result->has_metric("speed"));
}

TEST(DiffCases, TwoStatesOfASideAreNamed) {
    const auto result =
        diff(runs({980, 1210, 985, 1205, 979, 1212, 1208, 982, 1211, 1207}), runs({1000, 1001, 1002, 1003}));
    EXPECT_THAT(result->warnings, Contains(HasSubstr("base: tps falls into two groups, 4 runs near")));
}

TEST(DiffCases, WhatWouldNotHaveBeenSeenIsStated) {
    const auto result = diff(runs({970, 990, 1000, 1010, 1030}), runs({975, 995, 1000, 1012, 1025}));
    ASSERT_TRUE(result->metrics[0].resolution_percent());
    EXPECT_GT(*result->metrics[0].resolution_percent(), 2) << "a change of 2 % could hide here";
    EXPECT_EQ(result->metrics[0].comparison.verdict, Verdict::no_difference_shown);
}

// Pairs whose log ratio has standard deviation `noise`; how often a change is shown.
double shown(std::size_t pairs, double change, double noise, int rounds, unsigned seed) {
    std::mt19937 random(seed); // NOLINT(cert-msc51-cpp)
    std::normal_distribution<double> normal;
    int count = 0;
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> base;
        std::vector<double> other;
        for (std::size_t i = 0; i < pairs; ++i) {
            base.push_back(1000);
            other.push_back(1000 * std::exp(std::log1p(change) + noise * normal(random)));
        }
        const Verdict verdict = compare_paired(base, other).verdict;
        count += static_cast<int>(verdict == Verdict::higher || verdict == Verdict::lower);
    }
    return static_cast<double>(count) / rounds;
}

// The figures of docs/statistics.md, from fewer rounds.
TEST(Power, OfPairsIsWhatTheDocumentationStates) {
    constexpr int rounds = 400;
    const double error = 3 * std::sqrt(0.25 / rounds);
    struct Row {
        std::size_t pairs;
        double small, large; // shown at 2 and 5 % with noise 2 %
    };
    for (const Row& row : {Row{6, 0.35, 0.96}, Row{12, 0.84, 1}, Row{24, 0.995, 1}}) {
        EXPECT_LE(shown(row.pairs, 0, 0.02, rounds, 31), 0.05 + 3 * std::sqrt(0.05 * 0.95 / rounds)) << row.pairs;
        EXPECT_NEAR(shown(row.pairs, 0.02, 0.02, rounds, 32), row.small, error) << row.pairs;
        EXPECT_NEAR(shown(row.pairs, 0.05, 0.02, rounds, 33), row.large, error) << row.pairs;
    }
}

} // namespace
} // namespace snapscope
