#include "journal.hpp"
#include "test_folder.hpp"

#include <cmath>

namespace snapscope {
namespace {

class JournalTest : public FolderTest {};

TEST_F(JournalTest, RowsComeBackAndNothingIsSaidToBeTorn) {
    const WindowRow first{-5, 10, {1.5, std::nullopt}};
    const WindowRow second{INT64_MAX - 1, INT64_MAX, {0.1, 1e-300}};
    {
        auto journal = Journal::create(folder / "j");
        ASSERT_TRUE(journal) << journal.error().message();
        ASSERT_TRUE(journal->append(first));
        ASSERT_TRUE(journal->append(second));
        EXPECT_EQ(journal->rows(), 2U);
    }
    const auto read = read_journal(folder / "j", 2);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->rows, (std::vector<WindowRow>{first, second}));
    EXPECT_FALSE(read->torn);
    EXPECT_FALSE(read->recording);
}

TEST_F(JournalTest, AWriterThatIsThereIsSeen) {
    auto journal = Journal::create(folder / "j");
    ASSERT_TRUE(journal);
    EXPECT_TRUE(journal_is_held(folder / "j"));
    EXPECT_TRUE(read_journal(folder / "j", 0)->recording);
    journal = fail("gone");
    EXPECT_FALSE(journal_is_held(folder / "j"));
    EXPECT_FALSE(journal_is_held(folder / "none"));
}

TEST_F(JournalTest, ValuesThatAreNoNumbersBecomeNull) {
    const auto row = window_row_from_line(window_row_to_line({1, 2, {std::nan(""), HUGE_VAL, 3.0}}));
    ASSERT_TRUE(row);
    EXPECT_EQ(row->values, (std::vector<std::optional<double>>{std::nullopt, std::nullopt, 3.0}));
}

TEST_F(JournalTest, ALineThatIsNoWindowEndsTheJournal) {
    const std::string good = window_row_to_line({1, 2, {3.0}}) + "\n";
    for (const char* const bad :
         {"\n", "null\n", "{}\n", "[]\n", "{\"start_ns\":1,\"end_ns\":2}\n",
          "{\"start_ns\":2,\"end_ns\":1,\"values\":[1]}\n", "{\"start_ns\":1.5,\"end_ns\":2,\"values\":[1]}\n",
          "{\"start_ns\":1,\"end_ns\":2,\"values\":[\"1\"]}\n", "{\"start_ns\":1,\"end_ns\":2,\"values\":[1,2]}\n",
          "{\"start_ns\":1,\"end_ns\":18446744073709551615,\"values\":[1]}\n",
          "{\"start_ns\":1,\"end_ns\":2,\"values\":[1e999]}\n", "{\"start_ns\":1,\"end_ns\":2,\"values\":[1]}",
          "\xff\n"}) {
        put(folder / "j", good + bad + good);
        const auto read = read_journal(folder / "j", 1);
        ASSERT_TRUE(read) << bad;
        EXPECT_EQ(read->rows.size(), 1U) << bad;
        EXPECT_TRUE(read->torn) << bad;
    }
}

TEST_F(JournalTest, CutAtAnyByteItReadsItsWholeLines) {
    const std::string line = window_row_to_line({1, 2, {3.0}}) + "\n";
    const std::string whole = line + line + line;
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
        put(folder / "j", whole.substr(0, cut));
        const auto read = read_journal(folder / "j", 1);
        ASSERT_TRUE(read);
        EXPECT_EQ(read->rows.size(), cut / line.size());
        EXPECT_EQ(read->torn, cut % line.size() != 0);
    }
}

} // namespace
} // namespace snapscope
