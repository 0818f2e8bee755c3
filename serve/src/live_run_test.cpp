#include "live_run.hpp"
#include "recorder.hpp"
#include "test_windows.hpp"

#include <snapscope/recording/run_folder.hpp>

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope::test {
namespace {

using testing::ElementsAre;

constexpr std::int64_t second = 1'000'000'000;

WindowList six_windows() {
    const auto session = session_from(100 * second);
    WindowList out;
    for (int i = 0; i < 6; ++i)
        out.push_back(window(static_cast<std::uint64_t>(i + 1), session, 100 + i));
    return out;
}

TEST(LiveRing, ItForgetsTheOldestByTimeNumberAndBytes) {
    const WindowList windows = six_windows();
    const std::size_t one = bytes_of(*windows.front());
    for (const RingLimits limits : {RingLimits{3 * second, 100, 1U << 30U}, RingLimits{100 * second, 3, 1U << 30U},
                                    RingLimits{100 * second, 100, 3 * one + one / 2}}) {
        LiveRing ring(limits);
        for (const WindowPtr& each : windows)
            ring.push(each);
        EXPECT_EQ(ring.oldest_seq(), 4U);
        EXPECT_EQ(ring.windows().size(), 3U);
        EXPECT_LE(ring.bytes(), 3 * one);
    }
}

TEST(LiveRing, TwoStayWhateverTheLimits) {
    LiveRing ring({1, 0, 0});
    for (const WindowPtr& each : six_windows())
        ring.push(each);
    EXPECT_EQ(ring.windows().size(), 2U);
}

TEST(MomentAt, FiguresAreOfTheSpanAndSeriesOfAllThatIsKept) {
    const auto moment = moment_at(six_windows(), 5, 2 * second);
    ASSERT_TRUE(moment);
    EXPECT_EQ(moment->seq, 5U);
    EXPECT_EQ(moment->figures.windows.start_ns.size(), 2U);
    EXPECT_EQ(moment->figures.clock.start_ns, 103 * second);
    EXPECT_EQ(moment->figures.totals[0].value, 20);
    EXPECT_EQ(moment->figures.slots[0].taken, 20U) << "since the look before the span";
    EXPECT_THAT(moment->figures.histograms[0].counts, ElementsAre(2, 0));
    EXPECT_EQ(moment->figures.sources[0].lost, 2U);
    EXPECT_EQ(moment->figures.sources[0].losses[0].count, 2U);
    EXPECT_EQ(moment->series.windows.start_ns.size(), 5U) << "up to the moment";
    EXPECT_EQ(moment->series.clock.start_ns, 100 * second) << "so that a point stays where it is";
}

TEST(MomentAt, AGaugeHasNoTotal) {
    const auto moment = moment_at(six_windows(), 0, 0);
    ASSERT_TRUE(moment);
    EXPECT_EQ(moment->seq, 6U);
    EXPECT_EQ(moment->figures.totals.size(), 1U);
    EXPECT_EQ(moment->figures.totals[0].value, 60);
}

TEST(MomentAt, TheOldestWindowThatIsKeptOnlyStartsTheNext) {
    WindowList windows = six_windows();
    windows.erase(windows.begin(), windows.begin() + 2);
    EXPECT_FALSE(moment_at(windows, 2, 0)) << "gone";
    EXPECT_FALSE(moment_at(windows, 3, 0)) << "what was counted in it nobody knows";
    const auto moment = moment_at(windows, 0, 0);
    ASSERT_TRUE(moment);
    EXPECT_EQ(moment->first_seq, 4U);
    EXPECT_EQ(moment->figures.slots[0].taken, 30U);
}

TEST(MomentAt, AnotherSessionIsNotMixedIn) {
    WindowList windows = six_windows();
    const auto later = session_from(200 * second);
    windows.push_back(window(7, later, 200));
    windows.push_back(window(8, later, 201));
    const auto now = moment_at(windows, 0, 0);
    ASSERT_TRUE(now);
    EXPECT_EQ(now->first_seq, 7U);
    EXPECT_EQ(now->figures.slots[0].taken, 20U);
    const auto past = moment_at(windows, 6, 0);
    ASSERT_TRUE(past);
    EXPECT_EQ(past->figures.slots[0].taken, 60U);
    EXPECT_FALSE(moment_at({}, 0, 0));
}

TEST(Recorder, ARunFromAPastWindowHoldsWhatFollowedAndNoMore) {
    std::string name = (std::filesystem::temp_directory_path() / "snapscope-recorder-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    const WindowList windows = six_windows();
    const auto from = windows.begin() + 2;
    auto recorder = Recorder::start(name, {from, windows.end() - 1}, window_before(from), "0.0");
    ASSERT_TRUE(recorder) << recorder.error().message();
    ASSERT_TRUE(recorder->add(windows.back()));
    EXPECT_EQ(recorder->windows(), 4U);
    const auto cut = read_run(std::filesystem::path(name) / recorder->name());
    ASSERT_TRUE(cut) << "a serve that is killed leaves a run, too: " << cut.error().message();
    EXPECT_EQ(cut->windows.start_ns.size(), 4U);
    const auto finished = recorder->finish("");
    ASSERT_TRUE(finished) << finished.error().message();
    const auto run = read_run(std::filesystem::path(name) / recorder->name());
    std::filesystem::remove_all(name);
    ASSERT_TRUE(run) << run.error().message();
    EXPECT_TRUE(run->finished);
    EXPECT_EQ(run->windows.start_ns.size(), 4U);
    EXPECT_EQ(run->totals[0].value, 40);
    EXPECT_EQ(run->slots[0].taken, 40U);
    EXPECT_EQ(run->sources[0].lost, 4U);
    EXPECT_EQ(run->clock.start_ns, 102 * second);
    EXPECT_EQ(run->clock.end_ns, 106 * second);
}

} // namespace
} // namespace snapscope::test
