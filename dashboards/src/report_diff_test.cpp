#include "diff_samples.hpp"
#include "report_samples.hpp"
#include "test_page.hpp"

#include <snapscope/analyzer/words.hpp>

#include <gtest/gtest.h>

namespace snapscope {
namespace {

TEST(DiffReportPage, PairsAreLinesAndEveryMetricHasItsVerdict) {
    const DiffReport report = samples::comparison(12, true);
    const std::string page = report_diff(report, "snapscope test");
    EXPECT_EQ(test::unbalanced(test::markup_of(page)), "");
    EXPECT_TRUE(test::holds(page, headline(report.diff.metrics.front())));
    EXPECT_EQ(test::count(page, "class=\"pair"), 12 * report.diff.metrics.size());
    for (const MetricDiff& metric : report.diff.metrics) {
        EXPECT_TRUE(test::holds(page, metric.name));
        const std::string unit = metric.unit == "1" ? "" : metric.unit;
        EXPECT_TRUE(test::holds(page, change_text(metric.comparison, unit))) << metric.name;
        EXPECT_TRUE(test::holds(page, interval_text(metric.comparison, unit))) << metric.name;
    }
    EXPECT_TRUE(test::holds(page, "counted by ring"));
    EXPECT_TRUE(test::holds(page, "stated by workload"));
}

TEST(DiffReportPage, UnpairedRunsHaveNoLines) {
    const std::string page = report_diff(samples::comparison(5, false), "snapscope test");
    EXPECT_EQ(test::unbalanced(test::markup_of(page)), "");
    EXPECT_EQ(test::count(page, "class=\"pair"), 0U);
    EXPECT_TRUE(test::holds(page, "class=\"mark-new\""));
}

TEST(DiffReportPage, TooFewRunsAreUnavailableAndNoInterval) {
    const std::string page = report_diff(samples::comparison(2, true), "snapscope test");
    EXPECT_EQ(test::unbalanced(test::markup_of(page)), "");
    EXPECT_TRUE(test::holds(page, "too few runs"));
    EXPECT_TRUE(test::holds(page, "4 pairs are missing"));
    EXPECT_FALSE(test::holds(page, "class=\"reach\""));
}

TEST(DiffReportPage, HostileLabelsAreText) {
    DiffReport report = samples::comparison(6, true);
    for (Measurement& run : report.base)
        run.label = samples::hostile_names()[1];
    report.diff.base.assign(6, samples::hostile_names()[1]);
    report.diff.warnings = samples::hostile_names();
    const std::string page = report_diff(report, "snapscope test");
    EXPECT_EQ(test::unbalanced(test::markup_of(page)), "");
    EXPECT_FALSE(test::holds(test::markup_of(page), "<img"));
}

TEST(DiffSamples, WorkloadsAreApart) {
    DiffReport report = samples::comparison(6, true);
    auto more = samples::comparison(6, true);
    const auto rename = [](std::vector<Measurement>& side, std::vector<Measurement>& into) {
        for (Measurement& one : side) {
            one.run_id = *one.run_id + "x";
            one.load = "pgbench -S";
            one.values["tps"].value *= 10;
            into.push_back(one);
        }
    };
    rename(more.base, report.base);
    rename(more.other, report.other);
    report.diff = diff(report.base, report.other).value();
    std::size_t rows = 0;
    for (const MetricDiff& metric : report.diff.metrics) {
        const Samples samples = samples_of(report, metric);
        EXPECT_EQ(samples.base.size(), metric.base.n) << label_of(metric);
        EXPECT_EQ(samples.pairs.size(), 6U) << label_of(metric);
        rows += metric.name == "tps" ? 1U : 0U;
    }
    EXPECT_EQ(rows, 2U);
    EXPECT_TRUE(test::holds(report_diff(report, "test"), "tps of pgbench -S"));
}

TEST(DiffSamples, PairsFollowTheRoundWhateverTheOrder) {
    DiffReport report = samples::comparison(6, true);
    std::reverse(report.other.begin(), report.other.end());
    const Samples samples = samples_of(report, report.diff.metrics.front());
    ASSERT_EQ(samples.pairs.size(), 6U);
    for (const auto& [base, other] : samples.pairs)
        EXPECT_EQ(samples.base[base].label.substr(4), samples.other[other].label.substr(5));
}

} // namespace
} // namespace snapscope
