#include "case_file.hpp"

#include <snapscope/readers/c2c.hpp>

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

using test::c2c_report;
using test::case_rows;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

C2cReport report(const std::string& text) {
    auto out = read_c2c(text, "x");
    EXPECT_TRUE(out) << out.error().message();
    return out ? std::move(*out) : C2cReport{};
}

TEST(C2c, AWholeReportGivesItsPublishedFigures) {
    for (const std::string& text : {c2c_report(), test::replaced(c2c_report(), "\n", "\r\n")}) {
        const C2cReport found = report(text);
        EXPECT_THAT(found.notes, IsEmpty());
        EXPECT_EQ(found.local_hitm().value() + found.remote_hitm().value(), 16159);
        EXPECT_EQ(found.remote_hitm(), 12757);
        EXPECT_NEAR(*found.remote_hitm() / 16159, 0.789, 0.0005);
        EXPECT_NEAR(*found.remote_hitm() / *found.total("Load LLC Misses"), 0.573, 0.0005);
        ASSERT_EQ(found.lines.size(), 5U);
        EXPECT_EQ(found.lines[0].address, 0x602180U);
        EXPECT_EQ(found.lines[0].figures.at("rmt_hitm_pct"), 77.09);
        EXPECT_EQ(found.lines[0].figures.at("hitm_rmt"), 9834);
        EXPECT_EQ(found.lines[0].figures.at("llc_ld_miss"), 13747);
        EXPECT_EQ(found.lines[0].figures.at("rmt_hit"), 529);
        EXPECT_EQ(found.lines[2].address, 0xffff883ffb6a7e80U);
        ASSERT_EQ(found.accesses.size(), 28U);
        EXPECT_EQ(found.accesses[0].symbol, "read_write_func");
        EXPECT_EQ(found.accesses[4].offset, 0x28U);
        EXPECT_THAT(found.accesses[0].cpus.at(0), ElementsAre(0, 1, 4));
        EXPECT_THAT(found.accesses[0].cpus.at(1), ElementsAre(24, 25, 120));
        EXPECT_EQ(found.accesses[0].cpus.size(), 4U);
        std::map<std::pair<std::uint32_t, std::string>, double> sums;
        for (const C2cAccess& access : found.accesses)
            for (const auto& [name, value] : access.figures)
                if (name.ends_with("_pct"))
                    sums[{access.line, name}] += value;
        for (const auto& [key, sum] : sums)
            if (sum > 0) {
                EXPECT_NEAR(sum, 100, 0.05) << key.first << " " << key.second;
            }
    }
}

TEST(C2c, NoHitmOnAProcessorThatReportsNoneIsAbsent) {
    for (auto& row : case_rows("h21-c2c-arm-spe-no-hitm.csv")) {
        std::string text = "  Trace Event Information\n";
        text += "  Total records : " + row["total_records"] + "\n  Load Operations : " + row["loads"] +
                "\n  Loads - Miss : " + row["loads_miss"] + "\n  Load Local HITM : " + row["lcl_hitm"] +
                "\n  Load Remote HITM : " + row["rmt_hitm"] + "\n";
        const C2cReport found = report(text);
        EXPECT_TRUE(found.reports_no_hitm());
        EXPECT_FALSE(found.local_hitm());
        EXPECT_FALSE(found.remote_hitm()) << "never 0";
    }
}

TEST(C2c, ABlankCellIsAbsentAndTheOthersStay) {
    std::string text = c2c_report();
    const std::string cell = "  12103  ";
    const auto at = text.find(cell);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, cell.size(), std::string(cell.size(), ' '));
    const C2cReport found = report(text);
    EXPECT_FALSE(found.lines[0].figures.contains("hitm_total"));
    EXPECT_EQ(found.lines[0].figures.at("hitm_lcl"), 2269);
    EXPECT_EQ(found.lines[0].figures.at("rmt_hit"), 529);
    EXPECT_THAT(found.notes, Contains(HasSubstr("hitm_total is absent")));
}

TEST(C2c, WordsForNoneAndLocalisedNumbersAreAbsent) {
    for (const char* cell : {"    nan", "  -1.00", "  9.834", "      -"}) {
        std::string text = c2c_report();
        const auto at = text.find("   9834");
        ASSERT_NE(at, std::string::npos);
        text.replace(at, 7, cell);
        const C2cReport found = report(text);
        const bool same = found.lines[0].figures.contains("hitm_rmt") && found.lines[0].figures.at("hitm_rmt") == 9834;
        EXPECT_FALSE(same) << cell;
        EXPECT_THAT(found.notes, Not(IsEmpty())) << cell;
    }
}

TEST(C2c, EveryCutIsMarkedOrShortAndNothingChanges) {
    const std::string whole = c2c_report();
    const C2cReport all = report(whole);
    for (std::size_t length = 1; length < whole.size(); length += 7) {
        const auto cut = read_c2c(std::string_view(whole).substr(0, length), "x");
        if (!cut)
            continue;
        for (const auto& [name, value] : cut->totals)
            EXPECT_EQ(value, all.totals.at(name)) << length;
        ASSERT_LE(cut->lines.size(), all.lines.size());
        for (std::size_t i = 0; i < cut->lines.size(); ++i)
            EXPECT_EQ(cut->lines[i].figures, all.lines[i].figures) << length;
        for (std::size_t i = 0; i < cut->accesses.size(); ++i)
            EXPECT_EQ(cut->accesses[i].figures, all.accesses[i].figures) << length;
    }
}

TEST(C2c, WhatIsNoReportIsRefused) {
    for (const char* text : {"", "hello\n", "a : b\n"})
        EXPECT_FALSE(read_c2c(text, "x")) << text;
}

} // namespace
} // namespace snapscope
