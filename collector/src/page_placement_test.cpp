#include "page_placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace snapscope {
namespace {

using testing::ElementsAre;

TEST(NumaMapping, IsFoundByItsBeginning) {
    constexpr std::string_view text =
        "7f0000000000 default file=/usr/bin/postgres mapped=2 N0=2 kernelpagesize_kB=4\n"
        "7f1000000000 interleave:0-1 file=/anon_hugepage\\040(deleted) huge dirty=3 N0=2 N1=1 kernelpagesize_kB=2048\n";
    const auto found = find_numa_mapping(text, 0x7f1000000000);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->policy, "interleave:0-1");
    EXPECT_EQ(found->page_bytes, 2U << 20U);
    EXPECT_FALSE(find_numa_mapping(text, 0x7f1000001000));
    EXPECT_FALSE(find_numa_mapping("", 0));
}

TEST(NumaMapping, KeepsAnUnreadableSizeOpen) {
    const auto found = find_numa_mapping("1000 default kernelpagesize_kB=-4\n2000\n", 0x1000);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->page_bytes, std::nullopt) << "absent is not zero";
    EXPECT_FALSE(find_numa_mapping("1000 default\n2000\n", 0x2000));
}

TEST(ChosenWord, StandsInBrackets) {
    EXPECT_EQ(chosen_word("always within_size [never] deny"), "never");
    EXPECT_EQ(chosen_word("always never"), std::nullopt);
    EXPECT_EQ(chosen_word("] [always"), std::nullopt);
}

TEST(PagesOf, CoversTheWholeArray) {
    EXPECT_THAT(pages_of({"PGXACT", 0x10ff0, 12, 10, 0, 0}, 4096), ElementsAre(0x10000, 0x11000));
    EXPECT_THAT(pages_of({"PGXACT", 0x10ff0, 16, 1, 0, 0}, 4096), ElementsAre(0x10000)) << "ends with its page";
    EXPECT_THAT(pages_of({"PGXACT", 0x10ff0, 0, 10, 0, 0}, 4096), ElementsAre());
    EXPECT_EQ(pages_of({"PGXACT", 0x10000, 4096, 1'000'000, 0, 0}, 4096).size(), most_hot_pages);
}

// This process as the server: shared anonymous memory, of which one page is touched.
TEST(MemoryPlacement, SeesAProcessAsItIs) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* memory = ::mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    static_cast<char*>(memory)[page] = 1;
    const auto start = reinterpret_cast<std::uint64_t>(memory);
    const std::vector<Array> arrays{{"PGPROC", start, page, 1, 0, 0}, {"PGXACT", start + page, page, 2, 0, 0}};

    const auto found = memory_placement(ProcFs(), ::getpid(), arrays);
    ::munmap(memory, 4 * page);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->segment_address, start);
    EXPECT_EQ(found->page_bytes, page);
    EXPECT_TRUE(found->policy);
    ASSERT_EQ(found->pages.size(), 2U) << "PGPROC is not asked about";
    EXPECT_EQ(found->pages[0].address, start + page);
    EXPECT_TRUE(found->pages[0].node) << testing::PrintToString(found->notes);
    EXPECT_FALSE(found->pages[1].node) << "nobody touched it";
    EXPECT_FALSE(found->pages[1].frame);
    const bool said = testing::Matches(testing::Contains("page frames: need CAP_SYS_ADMIN"))(found->notes);
    EXPECT_NE(found->pages[0].frame.has_value(), said) << "a frame, or why there is none";
}

TEST(MemoryPlacement, IsNoneWithoutAnArrayInAMapping) {
    EXPECT_FALSE(memory_placement(ProcFs(), ::getpid(), {}));
    EXPECT_FALSE(memory_placement(ProcFs(), ::getpid(), {{"PGXACT", 0x10, 12, 10, 0, 0}}));
    EXPECT_FALSE(memory_placement(ProcFs("/nowhere"), ::getpid(), {{"PGXACT", 0x10, 12, 10, 0, 0}}));
}

} // namespace
} // namespace snapscope
