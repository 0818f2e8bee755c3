#include "test_source.hpp"

#include <snapscope/analyzer/summary.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace snapscope {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Run counted_run() {
    snapscope::Run run;
    run.id = "0123456789abcdef0123456789abcdef";
    run.finished = true;
    run.clock.start_ns = 1'000'000'000;
    run.clock.end_ns = 11'000'000'000;
    run.server.version = "13.16";
    run.server.snapshot_cache = "copy";
    run.server.max_connections = 100;
    run.sources.push_back(source("ring", EvidenceKind::counted, SourceState::active));
    run.totals = {{"snapshots_taken", "ring", "1", 1000},
                  {"snapshots_reused", "ring", "1", 800},
                  {"snapshots_rebuilt", "ring", "1", 150},
                  {"snapshots_private_scans", "ring", "1", 50},
                  {"snapshots_waited", "ring", "1", std::nullopt},
                  {"lines_scanned", "ring", "lines", 4000},
                  {"horizon_refreshes", "ring", "1", 0},
                  {"invalidations_xact_end", "ring", "1", 90},
                  {"invalidations_vacuum_flag", "ring", "1", 0},
                  {"invalidations_subxact_abort", "ring", "1", 10},
                  {"snapshots_taken", "ebpf", "1", 7},
                  {"xacts_committed", "sql", "1", 5000},
                  {"xacts_rolled_back", "sql", "1", 0}};
    run.histograms = {{"snapshot_duration", "ring", "ns", "reused", {0, 100, 200}, {790, 10}, 20.0, 150.0},
                      {"snapshot_duration", "ring", "ns", "rebuilt", {0, 100, 200}, {0, 200}, 120.0, 199.0}};
    run.layout.arrays = {{"PGPROC", 0, 896, 100, 1400, 100}, {"PGXACT", 0, 12, 100, 19, 6}};
    return run;
}

TEST(Summary, OfASourceThatWatchedPartOfTheTimeTheRateIsOfThatPart) {
    auto run = counted_run();
    for (auto& total : run.totals)
        if (total.source == "ring")
            total.source = "other";
    run.totals.push_back({"observed_ns", "ebpf", "ns", 2'000'000'000});
    const auto json = to_json(summarize(run));
    EXPECT_EQ(json["snapshots"]["taken"], 7) << "never scaled";
    EXPECT_EQ(json["snapshots"]["per_second"], 3.5);
    EXPECT_EQ(json["snapshots"]["observed_share"], 0.2);
    EXPECT_TRUE(to_json(summarize(counted_run()))["snapshots"]["observed_share"].is_null());
}

TEST(Summary, WordsAndLockWaitsAreThereOnlyWhenTheyWereWatched) {
    auto run = counted_run();
    EXPECT_TRUE(to_json(summarize(run))["words"].empty());
    EXPECT_TRUE(to_json(summarize(run))["lock_waits"]["exclusive"].is_null());
    run.sources.push_back(source("watch", EvidenceKind::counted, SourceState::active));
    run.totals.push_back({"xid_word_reads", "watch", "1", 12});
    run.totals.push_back({"xid_word_writes", "watch", "1", 4});
    run.totals.push_back({"xid_word_watched_ns", "watch", "ns", 500'000'000});
    run.totals.push_back({"xmin_word_reads", "watch", "1", std::nullopt});
    run.totals.push_back({"lock_waits_exclusive", "ebpf", "1", 3});
    const auto json = to_json(summarize(run));
    EXPECT_EQ(json["words"], (nlohmann::json{{{"kind", "counted"},
                                              {"source", "watch"},
                                              {"word", "xid"},
                                              {"reads", 12},
                                              {"writes", 4},
                                              {"watched_s", 0.5}}}));
    EXPECT_EQ(json["lock_waits"]["exclusive"], 3);
}

TEST(Summary, AddsUpWhatOneSourceCounted) {
    const auto json = to_json(summarize(counted_run()));
    EXPECT_EQ(json["schema_version"], 1);
    EXPECT_EQ(json["server"]["snapshot_cache"], "copy");
    EXPECT_EQ(json["snapshots"]["taken"], 1000); // ring before ebpf, never both
    EXPECT_EQ(json["snapshots"]["per_second"], 100);
    EXPECT_EQ(json["tps"]["value"], 500);
    EXPECT_EQ(json["tps"]["source"], "sql");
    EXPECT_EQ(json["invalidations"]["total"], 100);
    EXPECT_EQ(json["invalidations"]["by_reason"], (nlohmann::json{{"xact_end", 90}, {"subxact_abort", 10}}));
    EXPECT_EQ(json["lines"]["per_scan"], 20);
    EXPECT_EQ(json["lines"]["spanned"], 19);
    EXPECT_EQ(json["lines"]["straddling_entries"], 6);
    EXPECT_EQ(json["lost"], (nlohmann::json{{"ring", 0}}));
    EXPECT_THAT(summarize(counted_run()).warnings, testing::ElementsAre(HasSubstr("up to a second late")));
}

TEST(Summary, WhatNobodyCanTellIsNullAndNeverZero) {
    const auto json = to_json(summarize(counted_run()));
    for (const char* name : {"waited", "lockfree", "kept", "retries", "gave_up"})
        EXPECT_TRUE(json["snapshots"][name].is_null()) << name;
    const auto bare = to_json(summarize(snapscope::Run{}));
    for (const char* name : {"taken", "reused", "rebuilt", "private_scans", "per_second"})
        EXPECT_TRUE(bare["snapshots"][name].is_null()) << name;
    EXPECT_TRUE(bare["tps"].is_null());
    EXPECT_TRUE(bare["invalidations"]["total"].is_null());
    EXPECT_TRUE(bare["duration_ns"]["p50"].is_null());
    EXPECT_TRUE(bare["lines"]["spanned"].is_null());
    EXPECT_TRUE(bare["workload"].is_null());
    EXPECT_TRUE(bare["transfers"].is_array());
}

TEST(Summary, DurationsOfAllOutcomesAreOneHistogram) {
    const Summary summary = summarize(counted_run());
    EXPECT_EQ(summary.duration.count, 1000U);
    EXPECT_EQ(summary.duration.p50->low, 20); // cut by the exact minimum
    EXPECT_EQ(summary.duration.p50->high, 100);
    EXPECT_EQ(summary.duration.p99->high, 199);
    EXPECT_EQ(summary.duration.max_ns, 199);
    const auto json = to_json(summary);
    EXPECT_EQ(json["duration_ns"]["p50"], 100);
    EXPECT_EQ(json["duration_ns"]["p99_bounds"], nlohmann::json::array({100, 199}));
}

TEST(Summary, OutcomesThatDoNotAddUpAreNamed) {
    snapscope::Run run = counted_run();
    run.totals[1].value = 799;
    EXPECT_THAT(summarize(run).warnings, Contains(HasSubstr("1000 taken, but 799 reused + 150 rebuilt + 50")));
}

TEST(Summary, WarnsOfWhateverMakesNumbersDoubtful) {
    snapscope::Run run = counted_run();
    run.finished = false;
    run.events = true;
    run.sources.push_back(
        source("hitm", EvidenceKind::measured, SourceState::unavailable, "no hardware PMU", "needs bare metal"));
    run.sources[0].lost = 10;
    run.sources[0].records = 90;
    run.warnings = {"own words"};
    Workload load;
    load.valid = false;
    load.reconnect = true;
    load.clients = 8;
    load.clients_aborted = 2;
    load.tps = 123;
    run.workload = load;
    const auto warnings = summarize(run).warnings;
    for (const char* text : {"unfinished", "durations come with the end", "not valid", "2 of 8 clients aborted", "-C",
                             "source hitm is missing: no hardware PMU; needs bare metal",
                             "source ring lost 10 records (10.00 %", "own words"})
        EXPECT_THAT(warnings, Contains(HasSubstr(text))) << text;
    EXPECT_EQ(summarize(run).tps->source, "sql"); // not that of the workload
}

// The server's statistics learn of transactions late; its counters do not.
TEST(Summary, TransactionsAreCountedByTheRingBeforeTheStatistics) {
    snapscope::Run run = counted_run();
    EXPECT_THAT(summarize(run).warnings, Contains(HasSubstr("up to a second late")));
    run.totals.push_back({"xacts_with_xid", "ring", "1", 1000});
    run.totals.push_back({"xacts_without_xid", "ring", "1", 3000});
    EXPECT_EQ(summarize(run).tps->source, "ring");
    EXPECT_EQ(summarize(run).tps->value, 400);
    EXPECT_THAT(summarize(run).warnings, testing::Not(Contains(HasSubstr("up to a second late"))));
}

TEST(Summary, TransfersKeepTheirKindAndTheWidestLevel) {
    snapscope::Run run = counted_run();
    run.sources.push_back(source("hitm", EvidenceKind::measured, SourceState::active));
    run.matrices = {{"transfers", "hitm", "1", "core", {"0", "1"}, {"0", "1"}, {0, 5, 5, 0}},
                    {"transfers", "hitm", "1", "socket", {"0", "1"}, {"0", "1"}, {0, 2000, 0, 0}}};
    const auto json = to_json(summarize(run))["transfers"];
    ASSERT_EQ(json.size(), 1U);
    EXPECT_EQ(json[0]["kind"], "measured");
    EXPECT_EQ(json[0]["from"], "1"); // the writer
    EXPECT_EQ(json[0]["to"], "0");   // the reader
    EXPECT_EQ(json[0]["per_second"], 200);
    EXPECT_EQ(json[0]["per_snapshot"], 2);
}

} // namespace
} // namespace snapscope
