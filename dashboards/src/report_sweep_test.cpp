#include "sweep_samples.hpp"
#include "test_page.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace snapscope::test {
namespace {

std::string section(const std::string& page, const std::string& id) {
    const auto from = page.find("<section id=\"" + id + "\"");
    return from == std::string::npos ? "" : page.substr(from, page.find("</section>", from) - from);
}

TEST(ReportSweep, EveryRepeatIsAMarkAndAFailedPointIsACross) {
    const std::string page = markup_of(report_sweep(samples::sweep(), "snapscope"));
    EXPECT_EQ(unbalanced(page), "");
    const std::string tps = section(page, "tps");
    const auto picture = tps.substr(tps.find("class=\"picture\""));
    EXPECT_EQ(count(picture.substr(0, picture.find("</svg>")), "curve-mark"), 2U * 8 * 4 - 4);
    EXPECT_EQ(count(tps, "class=\"failed\""), 1U);
    EXPECT_TRUE(holds(tps, "copy"));
    EXPECT_FALSE(holds(tps, "Mnan") || holds(tps, "Lnan")) << "no mark stands for it";
}

TEST(ReportSweep, ItSaysTheFindingAndWhatIsNotShown) {
    const SweepReport report = samples::sweep();
    const std::string page = markup_of(report_sweep(report, "snapscope"));
    ASSERT_FALSE(report.analysis.not_shown.empty());
    EXPECT_EQ(count(section(page, "not-shown"), "<li>"), report.analysis.not_shown.size());
    EXPECT_TRUE(holds(page, "class=\"verdict finding\""));
    for (const NaturalExperiment& natural : report.analysis.natural)
        EXPECT_TRUE(holds(section(page, "compared"), natural.words.substr(0, 20)));
    EXPECT_EQ(count(section(page, "compared"), "95 % interval"), report.analysis.comparisons.size());
}

TEST(ReportSweep, MetricsAndLayoutsStandOnTheSameAxis) {
    const std::string page = markup_of(report_sweep(samples::sweep(), "snapscope"));
    for (const char* id : {"tps", "compared", "associations", "layout"})
        EXPECT_TRUE(holds(section(page, id), "viewBox=\"0 0 860.00 ")) << id;
    EXPECT_TRUE(holds(section(page, "associations"), "remote_hitm_share"));
    EXPECT_TRUE(holds(section(page, "layout"), "begins at byte of its line"));
    EXPECT_FALSE(holds(page, "<b>arrays"));
}

TEST(ReportSweep, ATableHasNoLayoutsAndSaysSo) {
    std::ifstream in(SNAPSCOPE_SOURCE_DIR "/tests/cases/seed-max-connections.csv");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::string page = markup_of(report_sweep(samples::sweep_of_table(text, "seed.csv"), "snapscope"));
    EXPECT_EQ(unbalanced(page), "");
    EXPECT_TRUE(holds(section(page, "layout"), "unavailable"));
    EXPECT_TRUE(holds(section(page, "compared"), "unavailable"));
    EXPECT_TRUE(holds(section(page, "tps"), "class=\"region\""));
}

} // namespace
} // namespace snapscope::test
