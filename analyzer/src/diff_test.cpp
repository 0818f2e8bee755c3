#include "test_source.hpp"

#include <snapscope/analyzer/diff.hpp>

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace snapscope {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Run run_with(double tps, int number) {
    snapscope::Run run;
    run.id = "run" + std::to_string(number);
    run.finished = true;
    run.clock.end_ns = 1'000'000'000;
    run.server.version = "13.16";
    run.sources.push_back(source("sched", EvidenceKind::counted, SourceState::active));
    run.totals = {{"server_cpu_ns", "sched", "ns", 2'000'000'000}};
    Workload load;
    load.tps = tps;
    load.clients = 8;
    load.transactions = 1000;
    load.valid = true;
    run.workload = load;
    return run;
}

std::vector<Measurement> group(const std::vector<double>& tps, int first_number, bool paired = false) {
    std::vector<Measurement> out;
    for (std::size_t i = 0; i < tps.size(); ++i) {
        snapscope::Run run = run_with(tps[i], first_number + static_cast<int>(i));
        if (paired)
            run.pairing = Pairing{"series", static_cast<std::uint32_t>(i), 0};
        out.push_back(measure(run, run.id + ".snap"));
    }
    return out;
}

const std::vector<double> six{100, 101, 102, 103, 104, 105};
const std::vector<double> six_more{110, 112, 111, 114, 113, 116};

TEST(Diff, AlternatingRunsArePairedByTheirRound) {
    auto other = group(six_more, 10, true);
    std::reverse(other.begin(), other.end()); // the order on the command line does not matter
    const auto result = diff(group(six, 0, true), other);
    ASSERT_TRUE(result) << result.error().what;
    EXPECT_TRUE(result->paired);
    EXPECT_EQ(result->test, "exact Wilcoxon signed-rank on log ratios of pairs");
    EXPECT_EQ(result->metrics[0].name, "tps");
    EXPECT_EQ(result->metrics[0].comparison.verdict, Verdict::higher);
    EXPECT_TRUE(result->metrics[0].improvement());
    EXPECT_FALSE(result->regression());
    EXPECT_FALSE(result->partial);
    const auto json = to_json(*result);
    EXPECT_EQ(json["paired"], true);
    EXPECT_EQ(json["metrics"][0]["base"]["n"], 6);
    EXPECT_EQ(json["metrics"][0]["base"]["ci95"], nlohmann::json::array({100, 105}));
    EXPECT_EQ(json["metrics"][0]["verdict"], "higher");
    EXPECT_EQ(json["metrics"][1]["name"], "server_cpu_us_per_xact");
    EXPECT_EQ(json["metrics"][1]["verdict"], "no difference shown");
}

TEST(Diff, RoundsThatDoNotMatchAreComparedUnpaired) {
    auto other = group(six_more, 10, true);
    other.back().pairing->round = 77;
    const auto result = diff(group(six, 0, true), other);
    ASSERT_TRUE(result);
    EXPECT_FALSE(result->paired);
    EXPECT_THAT(result->warnings, Contains(HasSubstr("do not match one to one")));
    auto elsewhere = group(six_more, 10, true);
    for (auto& one : elsewhere)
        one.pairing->series = "another";
    EXPECT_FALSE(diff(group(six, 0, true), elsewhere)->paired);
    EXPECT_EQ(diff(group(six, 0), group(six_more, 10))->test, "exact Mann-Whitney on logarithms");
}

TEST(Diff, AShownLossIsARegression) {
    const auto result = diff(group(six_more, 0), group(six, 10));
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->metrics[0].regression());
    EXPECT_TRUE(result->regression());
}

TEST(Diff, TooFewRunsSayHowManyAreMissing) {
    const auto unpaired = diff(group({100}, 0), group({102, 103, 104}, 10));
    ASSERT_TRUE(unpaired);
    EXPECT_FALSE(unpaired->regression());
    EXPECT_THAT(unpaired->warnings,
                Contains("too few runs to tell a difference: 3 more runs of base and 1 more run of new (at least 4 "
                         "against 4) needed"));
    const auto json = to_json(*unpaired)["metrics"][0];
    EXPECT_EQ(json["verdict"], "too few runs");
    EXPECT_TRUE(json["ci95_percent"].is_null());
    EXPECT_TRUE(json["p_value"].is_null());
    EXPECT_TRUE(json["base"]["ci95"].is_null());
    const auto paired = diff(group({100, 101}, 0, true), group({102, 103}, 10, true));
    EXPECT_THAT(paired->warnings, Contains(HasSubstr("4 more pairs (at least 6) needed")));
}

TEST(Diff, UnlikeThingsAreRefused) {
    auto reconnecting = group(six_more, 10);
    for (auto& one : reconnecting)
        one.reconnect = true;
    EXPECT_THAT(diff(group(six, 0), reconnecting).error().message(), HasSubstr("with and without -C"));
    auto more_clients = group(six_more, 10);
    more_clients[2].clients = 16;
    EXPECT_THAT(diff(group(six, 0), more_clients).error().what, HasSubstr("(8 clients) with run12.snap (16 clients)"));
    auto invalid = group(six_more, 10);
    invalid[1].workload_valid = false;
    EXPECT_THAT(diff(group(six, 0), invalid).error().what, HasSubstr("run11.snap: its workload is not valid"));
    auto twice = group(six_more, 10);
    twice[1].run_id = twice[0].run_id;
    EXPECT_THAT(diff(group(six, 0), twice).error().what, HasSubstr("given twice"));
    EXPECT_FALSE(diff({}, group(six, 0)));
}

TEST(Diff, DifferentConditionsAreNamed) {
    auto base = group(six, 0);
    auto other = group(six_more, 10);
    for (auto& one : other) {
        one.host = "db2";
        one.load = "pgbench -S";
        one.settings = {{"shared_buffers", "8GB"}, {"snapshot_cache", "copy"}};
        one.active_sources = {"ring", "sched"};
    }
    for (auto& one : base) {
        one.host = "db1";
        one.load = "pgbench -N";
        one.settings = {{"shared_buffers", "4GB"}, {"snapshot_cache", "off"}};
    }
    other[0].finished = false;
    other[0].lost = 3;
    other[4].lost = 4;
    const auto result = diff(base, other);
    EXPECT_TRUE(result->partial) << "one is unfinished";
    const auto& warnings = result->warnings;
    for (const char* text : {"host differs: db1 against db2", "shared_buffers (4GB against 8GB)", "what was observed",
                             "the load differs: pgbench -N against pgbench -S", "run10.snap is unfinished",
                             "new: 2 of 6 runs lost records, 7 in all"})
        EXPECT_THAT(warnings, Contains(HasSubstr(text))) << text;
    EXPECT_THAT(warnings, Not(Contains(HasSubstr("snapshot_cache ("))));
}

std::string file_text(const std::string& name) {
    std::ifstream file(std::string(SNAPSCOPE_SOURCE_DIR) + "/tests/cases/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Measurements, EachCsvRowIsARunAndOtherNumbersAreMetrics) {
    const auto rows = measurements_from_csv(
        "\xef\xbb\xbf# note\r\ntps,latency_ms,repeat,clients,who\r\n10,1.5,1,8,me\r\n\r\n20,,2,8,me\r\n", "x.csv");
    ASSERT_TRUE(rows) << rows.error().what;
    ASSERT_EQ(rows->size(), 2U);
    EXPECT_EQ((*rows)[0].label, "x.csv:3");
    EXPECT_EQ((*rows)[0].values.at("latency_ms").value, 1.5);
    EXPECT_EQ((*rows)[0].values.size(), 2U); // repeat and clients are no results
    EXPECT_EQ((*rows)[0].clients, 8U);
    EXPECT_EQ((*rows)[1].values.count("latency_ms"), 0U);
}

TEST(Measurements, ABadTableNamesItsLine) {
    const auto error = [](const char* text) { return measurements_from_csv(text, "x.csv").error().what; };
    EXPECT_THAT(error("a,b\n1,2\n"), HasSubstr("no column tps"));
    EXPECT_THAT(error("tps\n1\nfast\n"), HasSubstr("line 3: tps 'fast'"));
    EXPECT_THAT(error("tps\n0\n"), HasSubstr("no number above 0"));
    EXPECT_THAT(error("tps\nnan\n"), HasSubstr("tps 'nan'"));
    EXPECT_THAT(error("tps,b\n1\n"), HasSubstr("line 2: 1 cells under 2 columns"));
    EXPECT_THAT(error("tps,b\n1,\"x\n"), HasSubstr("line 2: a quoted cell"));
    EXPECT_THAT(error("tps,tps\n1,2\n"), HasSubstr("two columns"));
    EXPECT_THAT(error("tps\n"), HasSubstr("no rows"));
    EXPECT_THAT(error(""), HasSubstr("empty"));
}

TEST(Measurements, RowsOfSeveralKindsInOneFileAreNoticed) {
    const auto rows = measurements_from_csv(file_text("h15-noise-before-after.csv"), "h15.csv");
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->size(), 10U);
    EXPECT_THAT(rows->front().warnings, Contains(HasSubstr("column variant has 2 values")));
}

TEST(Diff, AColdFirstRunIsFlagged) {
    const auto cold = measurements_from_csv("tps\n300\n1000\n1010\n1020\n", "cold.csv");
    const auto warm = measurements_from_csv("tps\n1000\n1005\n1010\n1020\n", "warm.csv");
    const auto result = diff(*cold, *warm);
    ASSERT_TRUE(result);
    EXPECT_THAT(result->warnings, Contains(HasSubstr("base: the first run looks cold (30 %")));
    EXPECT_FALSE(result->paired);
}

} // namespace
} // namespace snapscope
