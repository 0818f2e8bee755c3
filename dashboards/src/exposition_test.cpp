#include "report_samples.hpp"
#include "test_page.hpp"

#include <snapscope/dashboards/exposition.hpp>
#include <snapscope/recording/gauges.hpp>

#include <gtest/gtest.h>
#include <sstream>

namespace snapscope::test {
namespace {

Run small_run() {
    Run run;
    run.server.pgdata = "/srv/\"pg\"\\data\nevil 1";
    run.clock.wall_start = "2024-05-01T12:00:00.500000000Z";
    run.clock.start_ns = 1'000'000'000;
    run.clock.end_ns = 3'000'000'000;
    SourceStatus ring;
    ring.name = "ring";
    ring.state = SourceState::active;
    SourceStatus mirror = ring;
    mirror.name = "mirror";
    mirror.kind = EvidenceKind::sampled;
    run.sources = {ring, mirror};
    run.windows.start_ns = {1'000'000'000, 2'000'000'000};
    run.windows.end_ns = {2'000'000'000, 3'000'000'000};
    run.windows.series = {{"snapshots_reused", "ring", "1", {5.0, 7.0}},
                          {"server_cpu_ns", "ring", "ns", {1e9, std::nullopt}},
                          {"lock_exclusive_share", "mirror", "1", {0.25, 0.5}},
                          {"snapshots_waited", "ring", "1", {std::nullopt, std::nullopt}}};
    run.totals = {{"snapshots_reused", "ring", "1", 12},
                  {"invalidations_xact_end", "ring", "1", 3},
                  {"server_cpu_ns", "ring", "ns", 1'500'000'000},
                  {"snapshots_waited", "ring", "1", std::nullopt}};
    run.histograms = {{"snapshot_duration", "ring", "ns", "", {0, 64, 128, 1000}, {1, 2, 4}, {}, {}}};
    return run;
}

std::string text_of(const Run& run) {
    return prometheus_text({{*run.server.pgdata, std::make_shared<const Run>(run)}}, {});
}

TEST(Exposition, CountersAreInBaseUnitsAndLabelsSayWhoSaysIt) {
    const std::string text = text_of(small_run());
    const std::string server = R"(server="/srv/\"pg\"\\data\nevil 1",source="ring",kind="counted")";
    EXPECT_TRUE(holds(text, "snapscope_snapshots_total{" + server + ",outcome=\"reused\"} 12\n"));
    EXPECT_TRUE(holds(text, "snapscope_invalidations_total{" + server + ",reason=\"xact_end\"} 3\n"));
    EXPECT_TRUE(holds(text, "snapscope_server_cpu_seconds_total{" + server + "} 1.5\n"));
    EXPECT_TRUE(holds(text, "# TYPE snapscope_server_cpu_seconds_total counter\n"));
    EXPECT_TRUE(holds(text, "# TYPE snapscope_lock_exclusive_share_ratio gauge\n"));
    EXPECT_TRUE(holds(text, "kind=\"sampled\"} 0.5\n")) << "a gauge is as the last window has it";
}

TEST(Exposition, WhatNobodyCouldTellIsNoSample) {
    EXPECT_FALSE(holds(text_of(small_run()), "waited"));
    const std::string away = prometheus_text({{"/srv/pg", nullptr}}, {});
    EXPECT_TRUE(holds(away, "snapscope_server_up{server=\"/srv/pg\"} 0\n"));
    EXPECT_FALSE(holds(away, "snapscope_snapshots"));
}

TEST(Exposition, BucketsAreTheSameAtAllTimesAndHoldWhatLiesBelow) {
    const std::string text = text_of(small_run());
    EXPECT_TRUE(holds(text, "outcome=\"\",le=\"6.4e-08\"} 1\n"));
    EXPECT_TRUE(holds(text, "outcome=\"\",le=\"1.28e-07\"} 3\n"));
    EXPECT_TRUE(holds(text, "outcome=\"\",le=\"5.12e-07\"} 3\n")) << "a bucket that reaches across counts above";
    EXPECT_TRUE(holds(text, "outcome=\"\",le=\"1.024e-06\"} 7\n"));
    EXPECT_TRUE(holds(text, "outcome=\"\",le=\"+Inf\"} 7\n"));
}

TEST(Exposition, ALabelCannotEndItsLine) {
    std::istringstream lines(text_of(small_run()));
    for (std::string line; std::getline(lines, line);)
        EXPECT_TRUE(line.starts_with('#') || line.starts_with("snapscope_") || line.starts_with("process_")) << line;
}

TEST(Exposition, OpenMetricsCountsUpFromNothingWithTheRunsTimes) {
    const auto text = openmetrics_text(small_run());
    ASSERT_TRUE(text) << text.error().message();
    const std::string series = R"(snapscope_snapshots_total{server="/srv/\"pg\"\\data\nevil 1",source="ring",)"
                               R"(kind="counted",outcome="reused"} )";
    EXPECT_TRUE(holds(*text, "# TYPE snapscope_snapshots counter\n" + series + "0 1714564800.500\n" + series +
                                 "5 1714564801.500\n" + series + "12 1714564802.500\n"));
    EXPECT_TRUE(text->ends_with("\n# EOF\n"));
    snapscope::Run timeless = small_run();
    timeless.clock.wall_start = "yesterday";
    EXPECT_FALSE(openmetrics_text(timeless));
}

TEST(Exposition, HostileNamesStayLabels) {
    const auto text = openmetrics_text(samples::hostile_run());
    ASSERT_TRUE(text);
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);)
        EXPECT_TRUE(line.starts_with("# ") || line.starts_with("snapscope_")) << line;
}

} // namespace
} // namespace snapscope::test
