#include <snapscope/collector/live_layout.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

using testing::HasSubstr;

TEST(LiveLayout, TheServersAnswerAddsPagesAndNodes) {
    std::vector<LiveArray> arrays{{"PGXACT", 4096, 12, 226, {}, {}, {}}};
    ASSERT_TRUE(add_layout_rows({{"PGXACT", "4096", "100", "12", "226", "4096", R"({"0": 1, "absent": 2})"},
                                 {"latestCompletedXid", "200", "", "4", "1", "", ""}},
                                arrays));
    ASSERT_EQ(arrays.size(), 2U);
    EXPECT_EQ(arrays[0].segment_offset, 100U);
    EXPECT_EQ(arrays[0].page_bytes, 4096U);
    EXPECT_EQ(arrays[0].nodes, (std::map<std::string, std::uint64_t>{{"0", 1}, {"absent", 2}}));
    EXPECT_EQ(arrays[1].page_bytes, std::nullopt) << "absent is not zero";
    EXPECT_EQ(arrays[1].nodes, std::nullopt);
}

TEST(LiveLayout, ContradictionsAreRefused) {
    std::vector<LiveArray> arrays{{"PGXACT", 4096, 12, 226, {}, {}, {}}};
    EXPECT_THAT(add_layout_rows({{"PGXACT", "8192", "100", "12", "226", "", ""}}, arrays).error().what,
                HasSubstr("disagree about PGXACT"));
    EXPECT_FALSE(add_layout_rows({{"PGXACT", "4096", "100", "12", "225", "", ""}}, arrays));
    EXPECT_FALSE(add_layout_rows({{"PGXACT", "-1", "100", "12", "226", "", ""}}, arrays));
    EXPECT_FALSE(add_layout_rows({{"PGXACT", "4096"}}, arrays));
    ASSERT_TRUE(add_layout_rows({{"PGXACT", "4096", "100", "12", "226", "0x", "[1]"}}, arrays));
    EXPECT_EQ(arrays[0].nodes, std::nullopt) << "no object of pages";
}

} // namespace
} // namespace snapscope
