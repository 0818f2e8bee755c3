#include <snapscope/base/text.hpp>

#include <cstdint>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

TEST(ParseInteger, TakesTheWholeTextOrNothing) {
    EXPECT_EQ(parse_integer<int>("42"), 42);
    EXPECT_EQ(parse_integer<int>("-42"), -42);
    EXPECT_EQ(parse_integer<std::uint64_t>("18446744073709551615"), UINT64_MAX);
    EXPECT_EQ(parse_integer<std::uint64_t>("7f00", 16), 0x7f00U);
    for (const char* const bad : {"", " 1", "1 ", "+1", "1x", "0x10", "1.0", "--1", "99999999999999999999"})
        EXPECT_EQ(parse_integer<std::int64_t>(bad), std::nullopt) << bad;
}

TEST(ParseInteger, RefusesWhatTheTypeCannotHold) {
    EXPECT_EQ(parse_integer<std::uint8_t>("255"), 255);
    EXPECT_EQ(parse_integer<std::uint8_t>("256"), std::nullopt);
    EXPECT_EQ(parse_integer<std::uint32_t>("-1"), std::nullopt);
}

TEST(ParseDouble, TakesFiniteNumbersOnly) {
    EXPECT_EQ(parse_double("1.5"), 1.5);
    EXPECT_EQ(parse_double("-2e3"), -2000.0);
    for (const char* const bad : {"", "1,5", " 1", "1 ", "+1", "inf", "nan", "1e999", "0x1p3", "1.5s"})
        EXPECT_EQ(parse_double(bad), std::nullopt) << bad;
}

TEST(Trim, TakesBlanksOffBothEnds) {
    EXPECT_EQ(trim("  a b\r\n"), "a b");
    EXPECT_EQ(trim(" \t\n"), "");
}

TEST(Split, KeepsEmptyParts) {
    using Parts = std::vector<std::string>;
    EXPECT_EQ(split("ring,sql", ','), (Parts{"ring", "sql"}));
    EXPECT_EQ(split("ring,,sql,", ','), (Parts{"ring", "", "sql", ""}));
    EXPECT_EQ(split("", ','), Parts{""});
}

TEST(JsonQuote, EscapesWhatJsonForbids) {
    EXPECT_EQ(json_quote("a\"b\\c\n\t\x01"), "\"a\\\"b\\\\c\\n\\t\\u0001\"");
    EXPECT_EQ(json_quote("\xc3\xa9\xf0\x9f\x90\x98"), "\"\xc3\xa9\xf0\x9f\x90\x98\"");
}

TEST(ToUtf8, ReplacesEveryByteThatIsNoUtf8) {
    const std::string mark = "\xef\xbf\xbd";
    EXPECT_EQ(to_utf8("a\xff"
                      "b"),
              "a" + mark + "b");
    EXPECT_EQ(to_utf8("\xc3"), mark);                       // cut off
    EXPECT_EQ(to_utf8("\xc0\x80"), mark + mark);            // overlong
    EXPECT_EQ(to_utf8("\xed\xa0\x80"), mark + mark + mark); // surrogate
    EXPECT_EQ(to_utf8("\xf4\x90\x80\x80"), mark + mark + mark + mark);
    EXPECT_EQ(to_utf8("\xe2\x82\xac"), "\xe2\x82\xac");
}

} // namespace
} // namespace snapscope
