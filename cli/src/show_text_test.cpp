#include "show_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Terminal plain() {
    Terminal terminal;
    terminal.color = ColorMode::never;
    return terminal;
}

Summary sample() {
    Summary summary;
    summary.finished = true;
    summary.duration_s = 10;
    summary.server.version = "13.16";
    summary.server.snapshot_cache = "copy";
    summary.snapshots.source = "ring";
    summary.snapshots.taken = 1000000;
    summary.snapshots.reused = 900000;
    summary.snapshots.rebuilt = 99999;
    summary.snapshots.private_scans = 1;
    summary.snapshots.per_second = 100000;
    summary.duration.source = "ring";
    summary.duration.p50 = Interval{1024, 2048};
    summary.duration.p99 = Interval{1024, 2048};
    return summary;
}

TEST(ShowText, TheFindingStandsFirst) {
    EXPECT_THAT(show_text(sample(), plain()),
                StartsWith("1 000 000 snapshots, 100 000 a second; 90.0 % reused, 10.0 % rebuilt, 0.0 % scanned"));
}

TEST(ShowText, PercentilesAreBucketsAndTheUnknownIsSaid) {
    const std::string text = show_text(sample(), plain());
    EXPECT_THAT(text, HasSubstr("1.024 us to 2.048 us"));
    EXPECT_THAT(text, HasSubstr("waited           cannot tell"));
    EXPECT_THAT(text, HasSubstr("duration max     cannot tell"));
    EXPECT_THAT(show_text(Summary{}, plain()), StartsWith("No source counted snapshots"));
}

TEST(ShowText, NothingThatARunHoldsSteersTheTerminal) {
    Summary summary = sample();
    summary.server.version = "13\033]0;x\a";
    summary.warnings = {"bad\033[2J\nname"};
    Workload load;
    load.command = "pgbench \033[31m";
    summary.workload = load;
    SourceStatus source;
    source.name = "ring\r";
    summary.sources.push_back(source);
    const std::string text = show_text(summary, plain());
    EXPECT_THAT(text, Not(HasSubstr("\033")));
    EXPECT_THAT(text, Not(HasSubstr("\r")));
    EXPECT_THAT(text, HasSubstr("bad\\x1b[2J\\nname"));
}

TEST(ShowTable, WhatNobodyCanTellIsAnEmptyCell) {
    EXPECT_THAT(show_table(sample()).csv(), HasSubstr("snapshots_waited,,1,ring\n"));
    EXPECT_THAT(show_table(sample()).csv(), HasSubstr("duration_p50_at_most,2048"));
}

} // namespace
} // namespace snapscope::cli
