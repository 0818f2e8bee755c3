// pcm's rows while it still runs, in every dialect, cut anywhere.
#include "case_file.hpp"

#include <snapscope/readers/pcm_live.hpp>

#include <gtest/gtest.h>

namespace snapscope {
namespace {

const std::vector<test::PcmDialect> dialects{{',', true, 3}, {',', false, 2}, {';', false, 3}, {';', true, 4}};

TEST(PcmLive, RowsAreThoseOfTheWholeFile) {
    for (const auto& dialect : dialects) {
        const std::string text = test::pcm_csv(dialect, 5);
        const auto whole = read_pcm(text, "pcm.csv").value();
        for (std::size_t piece = 1; piece < text.size(); piece += 37) {
            PcmLive live;
            std::vector<PcmRow> rows;
            for (std::size_t at = 0; at < text.size(); at += piece) {
                ASSERT_TRUE(live.feed(std::string_view(text).substr(at, piece)));
                for (auto& row : live.take_rows())
                    rows.push_back(std::move(row));
            }
            ASSERT_EQ(live.series().size(), whole.series.size());
            ASSERT_EQ(rows.size(), whole.rows()) << "the last row has no line end";
            for (std::size_t row = 0; row < rows.size(); ++row) {
                EXPECT_EQ(rows[row].time_ns, whole.time_ns[row]);
                for (std::size_t i = 0; i < whole.series.size(); ++i)
                    EXPECT_EQ(rows[row].values[i], whole.series[i].values[row]) << whole.series[i].column;
            }
        }
    }
}

TEST(PcmLive, ARowIsNotTakenBeforeItIsWhole) {
    const std::string text = test::pcm_csv({}, 2);
    PcmLive live;
    ASSERT_TRUE(live.feed(text.substr(0, text.size() - 2)));
    EXPECT_EQ(live.take_rows().size(), 1U);
    ASSERT_TRUE(live.feed(text.substr(text.size() - 2)));
    EXPECT_EQ(live.take_rows().size(), 1U);
}

TEST(PcmLive, NoNumberIsAGapOfThatCounterAlone) {
    const std::string row = "2024-05-01,12:00:00.000,0.5,1.5,2.5,";
    for (const char* none : {"", "nan", "-1.00", "1.092.043", "n/a", "  "}) {
        PcmLive live;
        ASSERT_TRUE(live.feed("System,System,System,System,System,SKT0dataIn,SKT0dataIn,\n"
                              "Date,Time,EXEC,L3MISS,READ,UPI0,UPI1,\n" +
                              row + none + ",7.5,\n"));
        const auto rows = live.take_rows();
        ASSERT_EQ(rows.size(), 1U) << none;
        ASSERT_EQ(live.series().size(), 4U);
        EXPECT_FALSE(rows[0].values[2]) << none;
        EXPECT_EQ(rows[0].values[3], 7.5e6) << none;
        EXPECT_EQ(live.silent(), std::vector<std::string>{"SKT0dataIn UPI0"});
    }
}

TEST(PcmLive, WhatIsNoRowIsLost) {
    PcmLive live;
    ASSERT_TRUE(live.feed(test::pcm_csv({}, 1) + "\nCleaning up\n2024-05-01,12:00:09.000,1,\n"));
    EXPECT_EQ(live.take_rows().size(), 1U);
    EXPECT_EQ(live.rows_lost(), 2U);
    PcmLive other;
    EXPECT_TRUE(other.feed("banner\nmore words, and more\n"));
    EXPECT_FALSE(other.described());
    PcmLive useless;
    EXPECT_FALSE(useless.feed("System,System,System,\nDate,Time,TEMP,\n"));
}

} // namespace
} // namespace snapscope
