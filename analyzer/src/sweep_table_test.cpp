#include "case_file.hpp"

#include <snapscope/analyzer/sweep.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

using test::case_file;
using test::same_tables;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

Sweep sweep(const std::string& text) {
    auto out = sweep_from_csv(text, "x.csv");
    EXPECT_TRUE(out) << out.error().message();
    return out ? std::move(*out) : Sweep{};
}

std::string error(const std::string& text) {
    const auto out = sweep_from_csv(text, "x.csv");
    EXPECT_FALSE(out) << text;
    return out ? "" : out.error().message();
}

TEST(SweepTable, EveryFormOfATableSaysTheSame) {
    for (const std::string& text : same_tables(case_file("seed-max-connections.csv"))) {
        const Sweep read = sweep(text);
        ASSERT_EQ(read.runs.size(), 17U) << text;
        EXPECT_EQ(read.x, "max_connections");
        EXPECT_EQ(read.runs[10].x, 700);
        EXPECT_EQ(read.runs[10].tps, 1237271);
        EXPECT_THAT(read.warnings, IsEmpty());
    }
}

TEST(SweepTable, WhatIsNoTpsIsAFailedRunWithItsReason) {
    for (const char* cell : {"", "NaN", "inf", "n/a", "0", "-1.00", "too many clients"}) {
        const Sweep read = sweep(std::string("clients,tps\n1,10\n2,") + cell + "\n");
        ASSERT_EQ(read.runs.size(), 2U);
        EXPECT_FALSE(read.runs[1].tps) << cell;
        EXPECT_FALSE(read.runs[1].failure.empty()) << cell;
    }
    const Sweep read = sweep("clients,tps,reason\n1,10,\n700,,could not create connection for client 692\n");
    EXPECT_EQ(read.runs[1].failure, "could not create connection for client 692");
    EXPECT_TRUE(read.runs[0].tps);
}

TEST(SweepTable, LocalisedNumbersAreRefusedWithTheirPlace) {
    EXPECT_THAT(error("clients;tps\n1;1.092.043\n"), HasSubstr("line 2: tps '1.092.043' is no plain number"));
    EXPECT_THAT(error("clients;tps\n1;1092,5\n"), HasSubstr("decimal point"));
    EXPECT_THAT(error("clients,tps\n1,\"1,092,043\"\n"), HasSubstr("line 2"));
    EXPECT_THAT(error("clients,tps\n1,1,092,043\n"), HasSubstr("4 cells under 2 columns"));
    EXPECT_THAT(error("clients,tps,m\n1,10,\"3,5\"\n"), HasSubstr("line 2: m '3,5'"));
    EXPECT_THAT(sweep("clients;tps\n1;720.611\n2;719.611\n").warnings,
                Contains(HasSubstr("three digits behind a point")));
}

TEST(SweepTable, ACutEndIsMarked) {
    const Sweep half = sweep("clients,tps\n1,10\n2,20\n3");
    EXPECT_EQ(half.runs.size(), 2U);
    EXPECT_THAT(half.warnings, Contains(HasSubstr("line 4 is cut off")));
    const Sweep perhaps = sweep("clients,tps\n1,10\n2,2");
    EXPECT_EQ(perhaps.runs.size(), 2U);
    EXPECT_THAT(perhaps.warnings, Contains(HasSubstr("its last cell '2' may be cut")));
    EXPECT_THAT(error("clients,tps\n1\n2,20\n"), HasSubstr("line 2: 1 cells under 2 columns"));
}

TEST(SweepTable, ARepeatedHeaderIsPassedOverAndSaid) {
    const Sweep read = sweep("clients,tps\n1,10\nclients,tps\n2,20\n");
    EXPECT_EQ(read.runs.size(), 2U);
    EXPECT_THAT(read.warnings, Contains(HasSubstr("line 3 repeats the header")));
}

TEST(SweepTable, MissingMetricsStayMissing) {
    const Sweep read = sweep("clients,tps,hitm\n1,10,5\n2,20,\n3,30,NaN\n4,40,x\n");
    EXPECT_EQ(read.runs[0].metrics.at("hitm"), 5);
    for (std::size_t i = 1; i < 4; ++i)
        EXPECT_FALSE(read.runs[i].metrics.contains("hitm")) << i;
    EXPECT_THAT(read.warnings, Contains(HasSubstr("hitm has no number in 3 of 4 rows (line 3, 4, 5)")));
}

TEST(SweepTable, MissingColumnsAreErrors) {
    EXPECT_THAT(error("a,tps\n1,2\n"), HasSubstr("no column max_connections or clients"));
    EXPECT_THAT(error("clients,x\n1,2\n"), HasSubstr("no column tps"));
    EXPECT_THAT(error("clients,tps\n"), HasSubstr("no rows"));
    EXPECT_THAT(error("clients,tps\nmany,2\n"), HasSubstr("line 2: clients 'many'"));
    EXPECT_THAT(error("clients,tps,tps\n1,2,3\n"), HasSubstr("two columns"));
    EXPECT_THAT(error("clients,,tps\n1,2,3\n"), HasSubstr("column 2 has no name"));
    EXPECT_THAT(error(""), HasSubstr("empty"));
}

TEST(SweepTable, TheExcludingFigureOfReconnectingRunsIsNeverTaken) {
    const Sweep read = sweep("clients,reconnect,tps_including_connect,tps_excluding_connect\n"
                             "16,1,388.651729,135108.207053\n16,0,18386.280802,18419.581888\n");
    EXPECT_EQ(read.runs[0].tps, 388.651729);
    EXPECT_EQ(read.runs[1].tps, 18419.581888);
    EXPECT_THAT(read.warnings, Contains(HasSubstr("1 of 2 rows connected for each transaction (-C)")));
    // Nobody says -C, and the two figures are far apart.
    EXPECT_EQ(sweep("clients,tps_including_connect,tps_excluding_connect\n16,388.7,135108\n").runs[0].tps, 388.7);
    EXPECT_THAT(error("clients,reconnect,tps_excluding_connect\n16,1,135108\n"), HasSubstr("means nothing"));
}

TEST(SweepTable, EveryCutAndEveryBlankedCellIsMarked) {
    const std::string whole = case_file("h17-c5d-metal-readonly-sweep.csv");
    const Sweep all = sweep(whole);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const auto cut = sweep_from_csv(std::string_view(whole).substr(0, length), "x.csv");
        if (!cut)
            continue;
        for (std::size_t i = 0; i + 1 < cut->runs.size(); ++i) // the last one carries the mark
            EXPECT_EQ(cut->runs[i].tps, all.runs[i].tps) << length;
        if (whole[length - 1] != '\n') {
            EXPECT_THAT(cut->warnings, Not(IsEmpty())) << length;
        }
    }
}

} // namespace
} // namespace snapscope
