#include "diff_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<Measurement> rows(const std::vector<double>& tps) {
    std::vector<Measurement> out;
    for (const double value : tps) {
        out.emplace_back().label = "x.csv";
        out.back().values["tps"] = {value, "csv"};
    }
    return out;
}

std::string text_of(const std::vector<double>& base, const std::vector<double>& other) {
    Terminal terminal;
    terminal.color = ColorMode::never;
    return diff_text(diff(rows(base), rows(other)).value(), terminal);
}

TEST(DiffText, TheVerdictStandsFirst) {
    EXPECT_THAT(text_of({100, 101, 102, 103}, {110, 111, 112, 113}), StartsWith("tps: higher (better) by +"));
    EXPECT_THAT(text_of({110, 111, 112, 113}, {100, 101, 102, 103}), StartsWith("tps: lower (worse) by -"));
    EXPECT_THAT(text_of({100, 101, 102, 103}, {100, 101, 102, 103}), StartsWith("tps: no difference shown (0 %"));
}

TEST(DiffText, TooFewRunsSayHowManyMore) {
    const std::string text = text_of({100}, {102});
    EXPECT_THAT(text, StartsWith("tps: too few runs to tell\n"));
    EXPECT_THAT(text, HasSubstr("3 more runs of base and 3 more runs of new (at least 4 against 4) needed"));
}

TEST(DiffText, ASmallShownChangeIsNotRoundedToNothing) {
    const std::string text = text_of({100000, 100000.1, 100000.2, 100000.3}, {100001, 100001.1, 100001.2, 100001.3});
    EXPECT_THAT(text, HasSubstr("by +0.0010"));
    EXPECT_THAT(text, HasSubstr("95 % interval +0.00070 to +0.0013 %"));
}

TEST(DiffTable, MissingFiguresAreEmptyCells) {
    EXPECT_THAT(diff_table(diff(rows({100}), rows({102})).value()).csv(),
                HasSubstr("tps,1/s,higher,1,100.00000,1,102.00000,2.00000,,,,2.00000,too few runs,,\n"));
}

} // namespace
} // namespace snapscope::cli
