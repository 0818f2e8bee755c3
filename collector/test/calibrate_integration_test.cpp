// Calibration and the line timer's toy on this host.  Latencies are not
// asserted, nor what other programs' load could turn round.
#include <snapscope/collector/calibrate.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <line_estimate.hpp>
#include <line_toy.hpp>
#include <nlohmann/json.hpp>
#include <topology.hpp>

namespace snapscope {
namespace {

using testing::HasSubstr;

std::vector<Cpu> cpus_here() {
    const auto topology = topology_of_host();
    return topology ? allowed_cpus(*topology) : std::vector<Cpu>{};
}

const std::atomic<bool> never{false};

TEST(CalibrateHere, EveryPairIsMeasuredOrItsRoundsAreCountedAsLost) {
    const auto cpus = cpus_here();
    if (cpus.size() < 2)
        GTEST_SKIP() << "one CPU: no line can travel";
    CalibrateOptions options;
    options.most_pairs = 6;
    std::size_t steps = 0;
    std::size_t planned_steps = 0;
    const auto out = calibrate(options, never, [&](std::size_t done, std::size_t planned) {
        EXPECT_EQ(done, steps++);
        planned_steps = planned;
    });
    if (!out && out.error().error_class == ErrorClass::unavailable)
        GTEST_SKIP() << out.error().message();
    ASSERT_TRUE(out) << out.error().message();
    EXPECT_GE(planned_steps, steps);
    EXPECT_EQ(out->pairs_possible, cpus.size() * (cpus.size() - 1) / 2);
    EXPECT_EQ(out->pairs.size(), std::min<std::size_t>(out->pairs_possible, 6));
    for (const CorePair& pair : out->pairs) {
        EXPECT_EQ(pair.rounds + pair.rounds_lost, 200U);
        if (pair.rounds == 0)
            continue;
        EXPECT_GT(pair.one_way_cycles.min, 0);
        // Both ways take time on one clock, whatever the counters' offset.
        EXPECT_GT(pair.counter_offset_bound, 0);
    }
    EXPECT_GT(out->cycles_per_ns, 0);
    EXPECT_FALSE(out->synthetic);
    const auto again = core_latencies_from_json(core_latencies_to_json(*out));
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(core_latencies_to_json(*again)["pairs"], core_latencies_to_json(*out)["pairs"]);
}

TEST(CalibrateHere, AnInterruptEndsItWithoutAResult) {
    if (cpus_here().size() < 2)
        GTEST_SKIP() << "one CPU";
    const std::atomic<bool> at_once{true};
    const auto out = calibrate({}, at_once, [](std::size_t, std::size_t) {});
    ASSERT_FALSE(out);
    EXPECT_THAT(out.error().what, testing::AnyOf(HasSubstr("interrupted"), HasSubstr("processor")));
}

class LineToyHere : public testing::Test {
  protected:
    void SetUp() override {
        const auto cpus = toy::two_cpus();
        if (!cpus)
            GTEST_SKIP() << cpus.error().message();
        cpus_ = *cpus;
        auto threshold = toy::toy_threshold(cpus_.first, cpus_.second);
        if (!threshold)
            GTEST_SKIP() << threshold.error().message();
        if (threshold->missed_rate() + threshold->false_rate() > 0.25)
            GTEST_SKIP() << "this host is too busy, or cannot tell a line that left: missed "
                         << threshold->missed_rate() << ", false " << threshold->false_rate();
        threshold_ = *threshold;
    }
    toy::LineToyRound round(std::size_t dirtied) {
        toy::LineToyPlan plan;
        plan.dirtied = dirtied;
        plan.loads = 400;
        plan.at_most = std::chrono::seconds(20);
        auto out = toy::run_line_toy(cpus_.first, cpus_.second, plan, threshold_, 11);
        EXPECT_TRUE(out) << out.error().message();
        return out.value_or(toy::LineToyRound{});
    }
    std::pair<std::uint32_t, std::uint32_t> cpus_;
    LoadThreshold threshold_;
};

// None against all: a difference that load on the machine blurs and does not turn round.
TEST_F(LineToyHere, LinesThatWereWrittenLookLikeItMoreOftenThanOthers) {
    const auto none = round(0);
    const auto all = round(188);
    ASSERT_EQ(none.loads(), 400U);
    EXPECT_EQ(none.dirty_loads, 0U);
    EXPECT_EQ(all.clean_loads, 0U);
    EXPECT_GT(all.slow(), none.slow());
    const auto of_none = estimate_lines(188, {none.loads(), none.slow()}, threshold_);
    const auto of_all = estimate_lines(188, {all.loads(), all.slow()}, threshold_);
    ASSERT_TRUE(of_none && of_all);
    EXPECT_LT(of_none->lines, of_all->lines);
}

TEST_F(LineToyHere, EveryLoadIsOfALineOfKnownState) {
    const auto some = round(94);
    EXPECT_EQ(some.loads(), 400U);
    // Half of the lines: a share of the loads that is hardly ever outside of this.
    EXPECT_GT(some.dirty_loads, 130U);
    EXPECT_LT(some.dirty_loads, 270U);
}

} // namespace
} // namespace snapscope
