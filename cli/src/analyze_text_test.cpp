#include "analyze_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Analysis analysis(const std::string& csv) {
    return analyze(sweep_from_csv(csv, "x.csv").value()).value();
}

std::string text_of(const std::string& csv) {
    Terminal terminal;
    terminal.color = ColorMode::never;
    return analyze_text(analysis(csv), terminal);
}

TEST(AnalyzeText, TheFindingStandsFirstAndWhatIsNotShownBelow) {
    const std::string text = text_of("clients,tps\n1,100\n2,200\n4,400\n8,800\n");
    EXPECT_THAT(text, StartsWith("tps rises with clients"));
    EXPECT_THAT(text, HasSubstr("not shown:\n  - whether the differences come from clients or from restarts"));
    EXPECT_THAT(text, HasSubstr("measure beyond 8"));
}

TEST(AnalyzeText, AFailedPointShowsItsReasonAndNoNumber) {
    const std::string csv = "clients,tps,reason\n1,100,\n2,,no \x1b[31mroom\n4,300,\n";
    EXPECT_THAT(text_of(csv), HasSubstr("none"));
    EXPECT_THAT(text_of(csv), Not(HasSubstr("\x1b"))) << "a table cannot steer the terminal";
    EXPECT_THAT(analyze_table(analysis(csv)).csv(), HasSubstr("2,,0,,,,,failed,"));
    EXPECT_THAT(analyze_markdown(analysis(csv)), HasSubstr("Not shown:\n- "));
}

} // namespace
} // namespace snapscope::cli
