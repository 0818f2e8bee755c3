#include <snapscope/base/csv.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

using testing::ElementsAre;

TEST(Csv, FindsTheSeparatorOutsideQuotes) {
    EXPECT_EQ(detect_separator("a,b\n"), ',');
    EXPECT_EQ(detect_separator("\xef\xbb\xbf# note; with; separators\r\n\r\na;b,c;d\r\n"), ';');
    EXPECT_EQ(detect_separator("a\tb\n1,2\t3\n"), '\t');
    EXPECT_EQ(detect_separator("\"a;b;c\",d\n"), ',');
    EXPECT_EQ(detect_separator("tps\n1\n"), ',');
    EXPECT_EQ(detect_separator(""), ',');
}

TEST(Csv, ReadsCellsOfAnySeparatorAndSaysWhereTheFileEnds) {
    CsvReader reader("\xef\xbb\xbf"
                     "a; b ;\"c;\"\"d\"\r\n\r\n# note\n1;;\n2;3",
                     ';');
    ASSERT_TRUE(reader.more());
    EXPECT_THAT(reader.next()->cells, ElementsAre("a", "b", "c;\"d"));
    ASSERT_TRUE(reader.more());
    const auto second = reader.next();
    EXPECT_THAT(second->cells, ElementsAre("1", "", ""));
    EXPECT_EQ(second->line, 4U);
    EXPECT_TRUE(second->ended);
    ASSERT_TRUE(reader.more());
    EXPECT_FALSE(reader.next()->ended);
    EXPECT_FALSE(reader.more());
}

TEST(Csv, BlankCellsBetweenTabsStay) {
    CsvReader reader("a\t\tc\n", '\t');
    ASSERT_TRUE(reader.more());
    EXPECT_THAT(reader.next()->cells, ElementsAre("a", "", "c"));
}

TEST(Csv, AQuoteThatDoesNotEndIsRefused) {
    for (const char* text : {"a,\"b\n", "a,\"b\"c\n"}) {
        CsvReader reader(text, ',');
        ASSERT_TRUE(reader.more());
        EXPECT_FALSE(reader.next()) << text;
    }
}

} // namespace
} // namespace snapscope
