#include "plan.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace snapscope::demo {
namespace {

TEST(DemoPlan, each_round_has_both_modes_and_each_mode_comes_first_equally_often) {
    const auto order = balanced_order(12);
    ASSERT_EQ(order.size(), 24U);
    for (std::size_t i = 0; i < order.size(); i += 2) {
        EXPECT_EQ(order[i].round, order[i + 1].round);
        EXPECT_NE(order[i].mode, order[i + 1].mode);
        EXPECT_EQ(order[i].position, 1U);
        EXPECT_EQ(order[i + 1].position, 2U);
    }
    const auto off_first =
        std::ranges::count_if(order, [](const Block& block) { return block.mode == 0 && block.position == 1; });
    EXPECT_EQ(off_first, 6);
}

TEST(DemoPlan, names_say_mode_and_round) {
    EXPECT_EQ(run_path("out", {1, 3, 2}), "out/copy-03.snap");
    EXPECT_EQ(probes_path("out", 0), "out/probes-off.snap");
    EXPECT_TRUE(is_run_name("off-12.snap"));
    EXPECT_TRUE(is_run_name("probes-copy.snap"));
    EXPECT_FALSE(is_run_name("mine.snap"));
    EXPECT_FALSE(is_run_name("off-12"));
    EXPECT_EQ(pair_word("demo", {1, 3, 2}), "demo:3:2");
}

} // namespace
} // namespace snapscope::demo
