#include "calibrate_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

CorePair pair_of(std::uint32_t a, std::uint32_t b, Border border, double cycles) {
    CorePair pair;
    pair.a = a;
    pair.b = b;
    pair.border = border;
    pair.one_way_cycles = {cycles, cycles, cycles, cycles, cycles};
    pair.counter_offset_cycles = -7;
    pair.counter_offset_bound = 90;
    pair.rounds = 200;
    return pair;
}

CoreLatencies sample() {
    CoreLatencies out;
    out.host.cpu_model = "Model";
    out.host.cpus.resize(4);
    out.counter = "tsc";
    out.cycles_per_ns = 2;
    out.pairs_possible = 6;
    out.pairs = {pair_of(0, 1, Border::same_llc, 100), pair_of(0, 2, Border::cross_socket, 300)};
    out.borders = border_costs(out.pairs);
    out.loads = {{Border::same_llc, LineState::dirty_remote, 4096, {150, 170, 190, 230, 300}}};
    out.threshold = LoadThreshold{120, 95, 145, 1000, 0, 1000, 12};
    out.separable = {{Border::same_llc, LineState::own, LineState::dirty_remote, 0.006},
                     {Border::same_llc, LineState::clean_remote, LineState::dirty_remote, 0.3}};
    return out;
}

TEST(CalibrateText, TheFindingNamesEachBorderInNanoseconds) {
    const auto text = calibrate_text(sample(), {});
    EXPECT_THAT(text, HasSubstr("A line takes 50 ns between cores of one last-level cache, 150 ns between sockets"));
    EXPECT_THAT(text, HasSubstr("yes, 3.0 times the one above"));
    EXPECT_THAT(text, HasSubstr("2 pairs (a sample of 6)"));
}

TEST(CalibrateText, TheThresholdStandsWithItsErrors) {
    const auto text = calibrate_text(sample(), {});
    EXPECT_THAT(text, HasSubstr("more than 120 cycles (any of 95 to 145 does as well)"));
    EXPECT_THAT(text, HasSubstr("missed 0.00 %, false 1.20 %"));
    EXPECT_THAT(text, HasSubstr("one load tells them apart"));
    EXPECT_THAT(text, HasSubstr("cannot be told apart"));
    EXPECT_THAT(text, HasSubstr("never proves that another core had modified the line"));
}

TEST(CalibrateText, WhatIsMadeUpIsNeverShownAsMeasured) {
    auto made_up = sample();
    made_up.synthetic = true;
    EXPECT_THAT(calibrate_text(made_up, {}), HasSubstr("Made up, not measured"));
    EXPECT_THAT(calibrate_text(sample(), {}), Not(HasSubstr("Made up")));
}

TEST(CalibrateText, AnUnmeasuredPairIsEmptyNotZero) {
    auto busy = sample();
    busy.pairs[1].rounds = 0;
    busy.pairs[1].one_way_cycles = {};
    EXPECT_THAT(calibrate_table(busy).csv(), HasSubstr("0,2,cross_socket,,,,,,0,0"));
    busy.pairs[0].rounds = 0;
    busy.borders.clear();
    EXPECT_THAT(calibrate_text(busy, {}), HasSubstr("No pair of CPUs could be measured"));
}

TEST(CalibrateText, NamesOfTheMachineCannotSteerATerminal) {
    auto evil = sample();
    evil.host.cpu_model = "x\x1b[2J";
    EXPECT_THAT(calibrate_text(evil, {}), Not(HasSubstr("\x1b")));
}

} // namespace
} // namespace snapscope::cli
