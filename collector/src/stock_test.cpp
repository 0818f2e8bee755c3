// The pure parts of looking at unpatched servers.
#include "elf_symbols.hpp"
#include "overhead_budget.hpp"
#include "server_cpu.hpp"
#include "stock_plan.hpp"
#include "watch_source.hpp"
#include "word_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(FirstInstruction, IsCheapOnlyWhereTheKernelEmulatesIt) {
    EXPECT_EQ(classify_instruction({0x55, 0x48, 0x89}), FirstInstruction::push);
    EXPECT_EQ(classify_instruction({0x41, 0x57}), FirstInstruction::push) << "push %r15";
    EXPECT_EQ(classify_instruction({0x90}), FirstInstruction::nop);
    EXPECT_EQ(classify_instruction({0x0f, 0x1f, 0x44, 0, 0}), FirstInstruction::nop);
    EXPECT_EQ(classify_instruction({0xf3, 0x0f, 0x1e, 0xfa, 0x55}), FirstInstruction::endbr);
    EXPECT_EQ(classify_instruction({0x48, 0x89, 0xe5}), FirstInstruction::other) << "mov";
    EXPECT_EQ(classify_instruction({0x41}), FirstInstruction::other) << "a prefix alone";
    EXPECT_EQ(classify_instruction({}), FirstInstruction::other);
}

TEST(OverheadBudget, AllowsWhileTheServersTimePaysForIt) {
    OverheadBudget budget(0.02);
    budget.add(1e9, 1e9, 20e6);
    EXPECT_TRUE(budget.allows());
    budget.add(1e9, 1e9, 100e6);
    EXPECT_FALSE(budget.allows());
    for (int i = 0; i < 3; ++i)
        budget.add(1e9, 1e9, 0);
    EXPECT_FALSE(budget.allows()) << "80 ms in the red, 20 ms a second";
    budget.add(1e9, 1e9, 0);
    EXPECT_TRUE(budget.allows());
    EXPECT_NEAR(budget.spent_share(), 0.02, 1e-9);
}

TEST(OverheadBudget, TakesAnIdleServerAsALittleBusy) {
    OverheadBudget budget(0.02);
    budget.add(1e9, 0, 0.9e6);
    EXPECT_TRUE(budget.allows());
    budget.add(1e9, 0, 2e6);
    EXPECT_FALSE(budget.allows());
}

TEST(OverheadBudget, SavesUpForTenSecondsOnly) {
    OverheadBudget budget(0.02);
    budget.add(1e12, 1e12, 0);
    budget.add(1e9, 0, 300e6);
    EXPECT_FALSE(budget.allows());
}

TEST(OverheadBudget, AllOfTheTimeIsNoLimit) {
    OverheadBudget budget(1);
    budget.add(1e9, 0, 2e9);
    EXPECT_TRUE(budget.allows());
}

TEST(OverheadBudget, DutyIsWhatTheBudgetBuys) {
    const OverheadBudget budget(0.02);
    EXPECT_EQ(budget.duty(0.01), 1);
    EXPECT_DOUBLE_EQ(budget.duty(0.08), 0.25);
    EXPECT_LT(budget.duty(2), least_duty);
}

TEST(EndedChildren, AreInTheStat) {
    std::string stat = "1 (a) b) S 0 1 1 0 -1 4194560 1 2 3 4 50 60 700 80 20 0 1 0 5 6 7";
    EXPECT_EQ(ended_children_ticks(stat), 780U);
    EXPECT_EQ(ended_children_ticks("1 (a) S 0"), std::nullopt);
    EXPECT_EQ(ended_children_ticks(""), std::nullopt);
}

TEST(WatchRotation, GoesFromTheLockOverEverySlotAndBack) {
    WatchRotation rotation;
    std::vector<std::string> words;
    for (int i = 0; i < 6; ++i)
        words.push_back(to_string(rotation.next({3, 8})));
    EXPECT_THAT(words, ElementsAre("lock", "slot 3 xid", "slot 3 xmin", "slot 8 xid", "slot 8 xmin", "lock"));
    EXPECT_EQ(rotation.next({}), (WatchedWord{WordKind::lock, 0})) << "nobody is connected";
}

TEST(WatchedWords, AreNamedAsARunNamesThem) {
    const auto words = parse_watched_words("lock,slot:12:xid,slot:0:xmin");
    ASSERT_TRUE(words) << words.error().message();
    std::vector<std::string> names;
    for (const auto& word : *words)
        names.push_back(to_string(word));
    EXPECT_THAT(names, ElementsAre("lock", "slot 12 xid", "slot 0 xmin"));
}

TEST(WatchedWords, AreNothingElse) {
    for (const char* list : {"", ",", "lock,", "Lock", "slot", "slot:12", "slot:12:", "slot::xid", "slot:-1:xid",
                             "slot:1.5:xid", "slot:99999999999:xid", "slot:12:subxid", "slot:12:xid:4", "pgxact:12:xid",
                             "lock, slot:1:xid", "slot 12 xid"}) {
        const auto words = parse_watched_words(list);
        ASSERT_FALSE(words) << list;
        EXPECT_EQ(words.error().error_class, ErrorClass::usage) << list;
        EXPECT_THAT(words.error().message(), HasSubstr("slot:N:xid")) << list;
    }
    const auto twice = parse_watched_words("slot:1:xid,lock,slot:01:xid");
    ASSERT_FALSE(twice);
    EXPECT_THAT(twice.error().message(), HasSubstr("named twice"));
}

TEST(Hits, AreDifferencesOfOwnAndOthers) {
    StockHits before{};
    StockHits now{};
    before.own[SNAPSCOPE_STOCK_SNAPSHOT] = 5;
    now.own[SNAPSCOPE_STOCK_SNAPSHOT] = 12;
    now.others[SNAPSCOPE_STOCK_SNAPSHOT] = 3;
    EXPECT_EQ(hits_between(before, now)[SNAPSCOPE_STOCK_SNAPSHOT], 10);
}

} // namespace
} // namespace snapscope
