#include "case_file.hpp"

#include <snapscope/readers/pcm.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

using test::pcm_csv;
using test::PcmDialect;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

PcmRecording pcm(const std::string& text) {
    auto out = read_pcm(text, "x");
    EXPECT_TRUE(out) << out.error().message();
    return out ? std::move(*out) : PcmRecording{};
}

const PcmSeries& series(const PcmRecording& recording, const std::string& name) {
    for (const PcmSeries& one : recording.series)
        if (one.name == name)
            return one;
    ADD_FAILURE() << "no series " << name;
    static const PcmSeries none;
    return none;
}

const std::vector<PcmDialect> dialects{{';', false, 2}, {',', false, 3}, {',', true, 3}, {',', true, 4}};

TEST(Pcm, EveryDialectIsReadByGroupAndName) {
    for (const PcmDialect& dialect : dialects) {
        const std::string text = pcm_csv(dialect, 4);
        for (const std::string& form : {text, text + "\n", "\xef\xbb\xbf" + text, test::replaced(text, "\n", "\r\n"),
                                        "Processor Counter Monitor\n\n" + text}) {
            const PcmRecording found = pcm(form);
            ASSERT_EQ(found.rows(), 4U);
            EXPECT_EQ(found.gaps, 0U);
            EXPECT_EQ(series(found, "upi_in_bytes").values[0], 4.5e6) << "10^6 bytes an interval";
            EXPECT_EQ(series(found, "memory_read_bytes").values[1], 103.5e9);
            EXPECT_EQ(series(found, "l3_misses").values[0], 2.5e6);
            EXPECT_EQ(series(found, "upi_in_bytes_socket0_link0").values[0], 6.5e6);
            const double first_out = 6.5 + 2 * dialect.links;
            EXPECT_EQ(series(found, "upi_out_bytes_socket0_link0").values[0], first_out * 1e6);
            EXPECT_EQ(*found.time_ns[1] - *found.time_ns[0], 1'000'000'000);
            EXPECT_THAT(found.notes, Contains(HasSubstr("whole numbers and not used; bytes are")));
        }
    }
}

TEST(Pcm, CellsWithoutACountAreGaps) {
    for (const char* cell : {"", "NaN", "-1.00", "4,5", "none"}) {
        if (std::string(cell) == "4,5")
            continue; // the separator itself there; below
        const PcmRecording found = pcm(test::replaced(pcm_csv({}, 3), "104.5", cell));
        EXPECT_FALSE(series(found, "upi_in_bytes").values[1]) << cell;
        EXPECT_TRUE(series(found, "upi_in_bytes").values[2]) << cell;
        EXPECT_EQ(found.gaps, 1U) << cell;
    }
    const PcmRecording localised = pcm(test::replaced(pcm_csv({';', false, 2}, 3), "104.5", "104,5"));
    EXPECT_FALSE(series(localised, "upi_in_bytes").values[1]);
    EXPECT_THAT(localised.notes, Contains(HasSubstr("localised")));
}

TEST(Pcm, ASilentCounterIsAGapFromThenOn) {
    std::string text = pcm_csv({}, 4);
    text = test::replaced(test::replaced(text, "204.5", ""), "304.5", "");
    const PcmRecording found = pcm(text);
    EXPECT_THAT(found.notes, Contains(HasSubstr("System TotalUPIin is silent from row 3 of 4 on")));
}

TEST(Pcm, ACutLastRowIsLeftOutAndSaid) {
    const std::string whole = pcm_csv({}, 3);
    const PcmRecording all = pcm(whole);
    const std::size_t last_row = whole.rfind('\n') + 1;
    for (std::size_t length = last_row + 1; length < whole.size(); ++length) {
        const PcmRecording cut = pcm(whole.substr(0, length));
        EXPECT_EQ(cut.rows(), 2U) << length;
        EXPECT_EQ(cut.rows_lost, 1U) << length;
        EXPECT_THAT(cut.notes, Contains(HasSubstr("cut off"))) << length;
    }
}

TEST(Pcm, ARepeatedHeaderAndBlankTimesAreBorne) {
    const std::string text = pcm_csv({}, 2);
    const auto third = text.find('\n', text.find('\n') + 1) + 1;
    const std::string header = text.substr(0, third);
    const PcmRecording twice = pcm(text + "\n" + header + text.substr(third));
    EXPECT_EQ(twice.rows(), 4U);
    EXPECT_THAT(twice.notes, Contains(HasSubstr("repeats the header")));
    const PcmRecording blank = pcm(test::replaced(text, "2024-05-01,12:00:00.000", ","));
    EXPECT_FALSE(blank.time_ns[0]);
    EXPECT_TRUE(blank.time_ns[1]);
}

TEST(Pcm, MissingColumnsAreAbsentAndAmbiguousOnesRefused) {
    const PcmRecording found = pcm(test::replaced(pcm_csv({}, 2), "TotalUPIin", "Other"));
    for (const PcmSeries& one : found.series)
        EXPECT_NE(one.name, "upi_in_bytes");
    EXPECT_THAT(found.ignored, Contains("System Other"));
    const auto twice = read_pcm(test::replaced(pcm_csv({}, 2), "READ", "TotalUPIin"), "x");
    ASSERT_FALSE(twice);
    EXPECT_THAT(twice.error().message(), HasSubstr("two columns are System TotalUPIin"));
}

TEST(Pcm, LinkTablesGiveBytesWherePercentsStayZero) {
    for (const std::string& text : {test::case_file("h06-upi-pingpong-links.csv"), test::pcm_screen()}) {
        const PcmRecording found = pcm(text);
        ASSERT_EQ(found.rows(), 6U);
        const bool screen = found.dialect == "screen";
        const std::string prefix = screen ? "upi_in_bytes_socket" : "upi_bytes_socket";
        const PcmSeries& hot = series(found, prefix + "0_link1");
        EXPECT_EQ(hot.values[0], 4366e3);
        EXPECT_EQ(hot.values[3], 274e6) << "bytes rise while the percent column says 0";
        const PcmSeries& beside = series(found, prefix + "0_link0");
        EXPECT_EQ(beside.values[3], 56e6);
        EXPECT_FALSE(series(found, prefix + "1_link0").values[5]) << "the row that is not there is a gap";
        EXPECT_TRUE(found.truncated_figures);
        EXPECT_THAT(found.notes, Contains(HasSubstr("read 0 throughout")));
    }
    const PcmRecording totals = pcm(test::case_file("h06-upi-idle-totals.csv"));
    EXPECT_EQ(series(totals, "upi_in_bytes").values[1], 151e6);
    EXPECT_EQ(series(totals, "upi_out_bytes").values[1], 602e6);
}

TEST(Pcm, ScreenNumbersHaveTheirUnit) {
    EXPECT_EQ(pcm_screen_number("4411 K"), 4411e3);
    EXPECT_EQ(pcm_screen_number("17 M"), 17e6);
    EXPECT_EQ(pcm_screen_number("9999"), 9999);
    EXPECT_EQ(pcm_screen_number("0"), 0);
    for (const char* text : {"", "K", "-1 M", "nan", "1,5 M", "x"})
        EXPECT_FALSE(pcm_screen_number(text)) << text;
}

TEST(Pcm, WhatIsNoPcmOutputIsRefused) {
    for (const char* text : {"", "hello\n", "a,b\n1,2\n", "System,,\nDate,Time,EXEC,\n"})
        EXPECT_FALSE(read_pcm(text, "x")) << text;
}

} // namespace
} // namespace snapscope
