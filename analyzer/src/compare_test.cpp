#include <snapscope/analyzer/compare.hpp>

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <vector>

namespace snapscope {
namespace {

std::ifstream open_case(const std::string& name) {
    return std::ifstream(std::string(SNAPSCOPE_SOURCE_DIR) + "/tests/cases/" + name);
}

// A published before/after table whose difference is noise.
TEST(Compare, NoiseIsNotADifference) {
    std::ifstream file = open_case("h15-noise-before-after.csv");
    std::vector<double> before;
    std::vector<double> after;
    std::string line;
    while (std::getline(file, line)) {
        const auto value = line.substr(line.rfind(',') + 1);
        if (line.starts_with("before"))
            before.push_back(std::stod(value));
        if (line.starts_with("after"))
            after.push_back(std::stod(value));
    }
    ASSERT_EQ(before.size(), 5U);
    ASSERT_EQ(after.size(), 5U);
    EXPECT_NEAR(*mean(after) / *mean(before) - 1, 0.0055, 0.0001);
    const Comparison result = compare_unpaired(before, after);
    EXPECT_EQ(result.verdict, Verdict::no_difference_shown);
    EXPECT_NEAR(result.p_value.value(), 0.84, 0.005);
    EXPECT_TRUE(result.exact);
    EXPECT_LT(result.interval_percent->low, 0);
    EXPECT_GT(result.interval_percent->high, 0);
}

// Gains that were published without repeats: never proven, whatever their size.
TEST(Compare, AGainWithoutRepeatsIsNeverProven) {
    const auto json = nlohmann::json::parse(open_case("h01-cached-snapshot-poc.json"));
    ASSERT_EQ(json["gains_percent"].size(), 3U);
    for (const auto& row : json["gains_percent"]) {
        const double gain = row["gain"];
        const Comparison result = compare_unpaired(std::vector<double>{100}, std::vector<double>{100 + gain});
        EXPECT_EQ(result.verdict, Verdict::too_few_runs);
        EXPECT_FALSE(result.p_value);
        EXPECT_FALSE(result.interval_percent);
        EXPECT_NEAR(result.change_percent.value(), gain, 1e-9);
        EXPECT_EQ(result.missing_base, 3U);
        EXPECT_EQ(result.missing_new, 3U);
    }
}

TEST(Compare, PairsShowWhatADriftHides) {
    // Each round is slower than the last; the new side is 2 % faster in each.
    std::vector<double> base;
    std::vector<double> faster;
    for (int round = 0; round < 8; ++round) {
        base.push_back(1000.0 * (1 - 0.05 * round));
        faster.push_back(base.back() * (1.02 + 0.001 * (round % 3)));
    }
    EXPECT_EQ(compare_unpaired(base, faster).verdict, Verdict::no_difference_shown);
    const Comparison paired = compare_paired(base, faster);
    EXPECT_EQ(paired.verdict, Verdict::higher);
    EXPECT_NEAR(paired.change_percent.value(), 2.1, 0.1);
    EXPECT_NEAR(paired.p_value.value(), 2.0 / 256, 1e-12);
    EXPECT_EQ(compare_paired(faster, base).verdict, Verdict::lower);
    EXPECT_EQ(compare_paired(std::span(base).first(4), std::span(faster).first(4)).missing_pairs, 2U);
}

TEST(Compare, WithoutALogarithmTheChangeIsInTheUnit) {
    const std::vector<double> never{0, 0, 0, 0};
    const std::vector<double> often{0.91, 0.92, 0.93, 0.94};
    const Comparison result = compare_unpaired(never, often);
    EXPECT_EQ(result.verdict, Verdict::higher);
    EXPECT_FALSE(result.change_percent);
    EXPECT_NEAR(result.change.value(), 0.925, 1e-9);
    EXPECT_NEAR(result.interval->low, 0.91, 1e-9);
}

} // namespace
} // namespace snapscope
