// Metrics as data: every file is whole, formulas say what they say, and what is
// absent stays absent.
#include "metric_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace snapscope {
namespace {

using testing::HasSubstr;

std::optional<double> value_of(const std::string& formula) {
    const auto input = [](std::string_view name) -> std::optional<double> {
        if (name == "a")
            return 6;
        return name == "b" ? std::optional<double>(2) : std::nullopt;
    };
    const auto value = evaluate(formula, input);
    EXPECT_TRUE(value) << formula;
    return value ? *value : std::nullopt;
}

TEST(MetricFile, FormulasFollowTheRulesOfArithmetic) {
    EXPECT_EQ(value_of("a"), 6);
    EXPECT_EQ(value_of("a + b * 2"), 10);
    EXPECT_EQ(value_of("(a + b) * 2"), 16);
    EXPECT_EQ(value_of("a - b - 1"), 3);
    EXPECT_EQ(value_of("a / b / 3"), 1);
    EXPECT_EQ(value_of("0.5 * a"), 3);
    EXPECT_EQ(value_of("a / (b - 2)"), std::nullopt) << "nothing is divided by 0";
    EXPECT_EQ(value_of("a + absent"), std::nullopt);
    EXPECT_EQ(value_of("absent * 0"), std::nullopt) << "absent is not 0";
}

TEST(MetricFile, WhatIsNoFormulaIsRefused) {
    const auto none = [](std::string_view) { return std::optional<double>(1); };
    for (const std::string wrong : {"", "a +", "+ a", "(a", "a)", "a b", "a.b", "1.2.3", "A", "a ; b", "a ** b"})
        EXPECT_FALSE(evaluate(wrong, none)) << wrong;
    EXPECT_FALSE(evaluate(std::string(100, '(') + "a" + std::string(100, ')'), none));
}

TEST(MetricFile, EachOneOfTheBuildIsWhole) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(SNAPSCOPE_SOURCE_DIR "/analyzer/metrics")) {
        EXPECT_EQ(entry.path().extension(), ".metric");
        ++files;
    }
    EXPECT_EQ(metric_texts().size(), files);
    for (const std::string_view text : metric_texts()) {
        const auto metric = read_metric(text);
        ASSERT_TRUE(metric) << text << metric.error().message();
        EXPECT_GT(metric->caveat.size(), 40U) << metric->name;
        EXPECT_EQ(metric_info(metric->name).unit, metric->unit);
    }
}

TEST(MetricFile, AFileThatLacksSomethingIsRefused) {
    const std::string whole = "name a\nunit 1\nbetter none\nsource hitm\nformula b / c\nevents x: y\ncaveat none\n";
    EXPECT_TRUE(read_metric(whole));
    for (const std::string line : {"name a\n", "unit 1\n", "better none\n", "source hitm\n", "formula b / c\n",
                                   "events x: y\n", "caveat none\n"}) {
        std::string without = whole;
        without.erase(without.find(line), line.size());
        EXPECT_FALSE(read_metric(without)) << line;
    }
    EXPECT_FALSE(read_metric(whole + "name b\n"));
    EXPECT_FALSE(read_metric(whole + "colour red\n"));
    EXPECT_FALSE(read_metric("better sometimes\n" + whole));
}

TEST(MetricFile, TotalsOfARunBecomeMetrics) {
    snapscope::Run run;
    run.clock.end_ns = 2'000'000'000;
    run.totals = {{"hitm_samples_local", "hitm", "samples", 3402}, {"hitm_samples_remote", "hitm", "samples", 12757},
                  {"llc_miss_samples", "hitm", "samples", 22274},  {"hitm_events_remote", "hitm", "1", std::nullopt},
                  {"memory_read_bytes", "pcm", "bytes", 30},       {"memory_write_bytes", "pcm", "bytes", 10}};
    std::map<std::string, double> found;
    for (const Metric& metric : derive_metrics(run))
        found[metric.name] = metric.value;
    EXPECT_NEAR(found.at("remote_hitm_share"), 0.789, 0.001);
    EXPECT_NEAR(found.at("remote_hitm_per_llc_miss"), 0.573, 0.001);
    EXPECT_DOUBLE_EQ(found.at("memory_bytes_per_second"), 20);
    EXPECT_FALSE(found.contains("hitm_remote_per_second")) << "null is absent";
    EXPECT_FALSE(found.contains("upi_in_bytes_per_second"));
}

// cases/h28: retries of an atomic by clients, and what they come to.
TEST(MetricFile, PublishedRetriesPerCall) {
    std::ifstream in(SNAPSCOPE_SOURCE_DIR "/tests/cases/h28-atomic-retry-and-littles-law.json");
    const auto figures = nlohmann::json::parse(in);
    for (const auto& [clients, counts] : figures["pin_counts"].items()) {
        snapscope::Run run;
        run.totals = {{"snapshots_retries", "ring", "1", counts[0].get<std::int64_t>()},
                      {"snapshots_taken", "ring", "1", counts[1].get<std::int64_t>()}};
        const auto metrics = derive_metrics(run);
        const auto at = std::ranges::find(metrics, "retries_per_snapshot", &Metric::name);
        ASSERT_NE(at, metrics.end()) << clients;
        EXPECT_DOUBLE_EQ(at->value, figures["pin_retries_per_call"][clients].get<double>());
    }
}

} // namespace
} // namespace snapscope
