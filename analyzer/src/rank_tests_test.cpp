#include <snapscope/analyzer/rank_tests.hpp>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace snapscope {
namespace {

bool excludes_zero(const RankTest& test) {
    return test.interval.low > 0 || test.interval.high < 0;
}

// What must hold whatever the values are.
void expect_consistent(const RankTest& test) {
    EXPECT_EQ(test.p_value <= alpha + 1e-12, excludes_zero(test))
        << test.p_value << " " << test.interval.low << " " << test.interval.high;
    EXPECT_LE(test.interval.low, test.shift);
    EXPECT_GE(test.interval.high, test.shift);
    EXPECT_GE(test.p_value, 0);
    EXPECT_LE(test.p_value, 1);
}

TEST(SignedRankTest, SixPairsThatAgreeAreTheLeastThatCanBeSignificant) {
    const std::vector<double> six{1, 2, 3, 4, 5, 6};
    const auto test = signed_rank_test(six, 1e-9);
    ASSERT_TRUE(test);
    EXPECT_NEAR(test->p_value, 2.0 / 64, 1e-12);
    EXPECT_NEAR(test->interval.low, 1, 1e-9);
    EXPECT_NEAR(test->interval.high, 6, 1e-9);
    EXPECT_NEAR(test->shift, 3.5, 1e-9);
    EXPECT_FALSE(signed_rank_test(std::span(six).first(5), 1e-9));
}

// Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, example 3.1
// (depression factors): T+ = 5 of 45, one-sided p = 0.0195, estimate -0.46,
// exact interval (-0.786, -0.010) at 0.9609.
TEST(SignedRankTest, AgreesWithAWorkedExample) {
    const std::vector<double> x{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
    const std::vector<double> y{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
    std::vector<double> z;
    for (std::size_t i = 0; i < x.size(); ++i)
        z.push_back(y[i] - x[i]);
    const auto test = signed_rank_test(z, 1e-9);
    ASSERT_TRUE(test);
    EXPECT_NEAR(test->p_value, 0.0390625, 1e-9);
    EXPECT_NEAR(test->shift, -0.46, 1e-6);
    EXPECT_NEAR(test->interval.low, -0.786, 1e-6);
    EXPECT_NEAR(test->interval.high, -0.010, 1e-6);
}

TEST(RankSumTest, FourAgainstFourApartAreTheLeastThatCanBeSignificant) {
    const std::vector<double> low{1, 2, 3, 4};
    const std::vector<double> high{11, 12, 13, 14};
    const auto test = rank_sum_test(low, high, 1e-9);
    ASSERT_TRUE(test);
    EXPECT_NEAR(test->p_value, 2.0 / 70, 1e-12);
    EXPECT_NEAR(test->interval.low, 7, 1e-9);
    EXPECT_NEAR(test->interval.high, 13, 1e-9);
    EXPECT_FALSE(rank_sum_test(std::span(low).first(3), high, 1e-9));
    EXPECT_FALSE(rank_sum_test(low, std::span(high).first(3), 1e-9));
}

TEST(RankTests, EqualSidesShowNoDifference) {
    const std::vector<double> zeros(8, 0.0);
    const auto paired = signed_rank_test(zeros, 1e-9);
    const auto unpaired = rank_sum_test(zeros, zeros, 1e-9);
    ASSERT_TRUE(paired && unpaired);
    for (const auto& test : {*paired, *unpaired}) {
        EXPECT_EQ(test.p_value, 1);
        EXPECT_EQ(test.interval.low, 0);
        EXPECT_EQ(test.interval.high, 0);
    }
}

// Few distinct values: ties, zeros and repeated values in every mixture.
TEST(RankTests, VerdictAndIntervalNeverContradictEvenWithTies) {
    std::mt19937 random(11); // NOLINT(cert-msc51-cpp)
    const auto draw = [&](std::size_t n, int spread, int offset) {
        std::vector<double> values(n);
        for (double& value : values)
            value = static_cast<int>(random() % static_cast<unsigned>(spread)) + offset;
        return values;
    };
    int significant = 0;
    for (int round = 0; round < 3000; ++round) {
        const int spread = 2 + static_cast<int>(random() % 12);
        const int offset = -static_cast<int>(random() % 6);
        const auto paired = signed_rank_test(draw(6 + random() % 6, spread, offset), 1);
        ASSERT_TRUE(paired);
        expect_consistent(*paired);
        const auto unpaired =
            rank_sum_test(draw(4 + random() % 4, spread, 0), draw(4 + random() % 4, spread, offset), 1);
        ASSERT_TRUE(unpaired);
        expect_consistent(*unpaired);
        significant += excludes_zero(*paired) + excludes_zero(*unpaired);
    }
    EXPECT_GT(significant, 500); // both sides of the equivalence were tried
}

TEST(RankTests, ManyValuesSwitchToTheApproximationAndStayConsistent) {
    std::mt19937 random(12); // NOLINT(cert-msc51-cpp)
    std::normal_distribution<double> normal;
    for (int round = 0; round < 200; ++round) {
        std::vector<double> a(60);
        std::vector<double> b(60);
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i] = std::round(normal(random) * 4);
            b[i] = std::round(normal(random) * 4 + (round % 4));
        }
        const auto paired = signed_rank_test(b, 1);
        const auto unpaired = rank_sum_test(a, b, 1);
        ASSERT_TRUE(paired && unpaired);
        EXPECT_FALSE(paired->exact);
        EXPECT_FALSE(unpaired->exact);
        expect_consistent(*paired);
        expect_consistent(*unpaired);
    }
}

TEST(RankTests, TheApproximationMeetsTheExactTestWhereTheySwitch) {
    std::mt19937 random(13); // NOLINT(cert-msc51-cpp)
    std::normal_distribution<double> normal(0.4, 1);
    std::vector<double> values(exact_pairs + 1);
    for (double& value : values)
        value = normal(random);
    const auto approximate = signed_rank_test(values, 1e-9);
    values.pop_back();
    const auto exact = signed_rank_test(values, 1e-9);
    ASSERT_TRUE(exact && approximate);
    EXPECT_TRUE(exact->exact);
    EXPECT_FALSE(approximate->exact);
    EXPECT_NEAR(exact->shift, approximate->shift, 0.05);
    EXPECT_NEAR(exact->interval.low, approximate->interval.low, 0.08);
    EXPECT_NEAR(exact->interval.high, approximate->interval.high, 0.08);
}

// The stated interval covers the true shift at least 95 times in 100, within
// three standard errors of the simulation.
constexpr int rounds = 4000;
const double least_coverage = 0.95 - 3 * std::sqrt(0.95 * 0.05 / rounds);

template <typename Draw> double paired_coverage(std::size_t n, double shift, Draw draw) {
    int covered = 0;
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> values(n);
        for (double& value : values)
            value = shift + draw();
        const auto test = signed_rank_test(values, 0x1p-30);
        covered += test && test->interval.low <= shift && shift <= test->interval.high;
    }
    return static_cast<double>(covered) / rounds;
}

template <typename Draw> double unpaired_coverage(std::size_t m, std::size_t n, double shift, Draw draw) {
    int covered = 0;
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> base(m);
        std::vector<double> other(n);
        for (double& value : base)
            value = draw();
        for (double& value : other)
            value = shift + draw();
        const auto test = rank_sum_test(base, other, 0x1p-30);
        covered += test && test->interval.low <= shift && shift <= test->interval.high;
    }
    return static_cast<double>(covered) / rounds;
}

TEST(Coverage, PairedHoldsForSymmetricDifferences) {
    std::mt19937 random(21); // NOLINT(cert-msc51-cpp)
    std::normal_distribution<double> normal;
    std::student_t_distribution<double> heavy(2);
    EXPECT_GE(paired_coverage(6, 0.25, [&] { return normal(random); }), least_coverage);
    EXPECT_GE(paired_coverage(12, 0.25, [&] { return heavy(random); }), least_coverage);
    EXPECT_GE(paired_coverage(10, 1, [&] { return std::round(2 * normal(random)); }), least_coverage); // ties
}

TEST(Coverage, UnpairedHoldsForAnyShape) {
    std::mt19937 random(22); // NOLINT(cert-msc51-cpp)
    std::exponential_distribution<double> skewed;
    std::student_t_distribution<double> heavy(2);
    EXPECT_GE(unpaired_coverage(4, 4, 0.5, [&] { return skewed(random); }), least_coverage);
    EXPECT_GE(unpaired_coverage(5, 9, 0.5, [&] { return heavy(random); }), least_coverage);
    EXPECT_GE(unpaired_coverage(6, 6, 1, [&] { return std::round(2 * skewed(random)); }), least_coverage); // ties
}

} // namespace
} // namespace snapscope
