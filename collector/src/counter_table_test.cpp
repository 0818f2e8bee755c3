#include <snapscope/collector/counter_table.hpp>

#include <gtest/gtest.h>

namespace snapscope {
namespace {

TEST(CounterTable, CountsOnlyWhatWasAddedAfterTheBaseline) {
    CounterTable table(2);
    std::vector<snapscope_counters> now(2);
    now[0].taken = 100;
    EXPECT_EQ(table.advance(now).taken, 0U);
    now[0].taken = 130;
    now[1].invalidations[SNAPSCOPE_REASON_XACT_END] = 4;
    const auto added = table.advance(now);
    EXPECT_EQ(added.taken, 30U);
    EXPECT_EQ(added.invalidations[SNAPSCOPE_REASON_XACT_END], 4U);
    EXPECT_FALSE(table.restarted());
    now[1].taken = 5;
    table.advance(now);
    EXPECT_EQ(table.total(0).taken, 30U);
    EXPECT_EQ(table.total(1).taken, 5U);
    EXPECT_EQ(table.total().taken, 35U);
}

TEST(CounterTable, CrashRestartIsSeenAndCostsNothingThatIsKnown) {
    CounterTable table(1);
    std::vector<snapscope_counters> now(1);
    now[0].taken = 100;
    now[0].reused = 90;
    table.advance(now);
    now[0].taken = 150;
    now[0].reused = 120;
    table.advance(now);
    now[0].taken = 7;
    now[0].reused = 6;
    EXPECT_EQ(table.advance(now).taken, 7U);
    EXPECT_TRUE(table.restarted());
    EXPECT_EQ(table.total().taken, 57U);
    now[0].taken = 8;
    table.advance(now);
    EXPECT_FALSE(table.restarted());
    EXPECT_EQ(table.total().taken, 58U);
}

} // namespace
} // namespace snapscope
