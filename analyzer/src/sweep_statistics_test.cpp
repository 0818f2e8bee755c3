// Statistics of sweeps against known distributions, by seeded simulation.
#include <snapscope/analyzer/bimodal.hpp>
#include <snapscope/analyzer/changepoints.hpp>
#include <snapscope/analyzer/correlation.hpp>
#include <snapscope/analyzer/shape.hpp>
#include <snapscope/analyzer/variance.hpp>

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

namespace snapscope {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

using Random = std::mt19937;

// At most `share` of `rounds`, within three standard errors of a simulation.
double most(double share, int rounds) {
    return share + 3 * std::sqrt(share * (1 - share) / rounds);
}
double least(double share, int rounds) {
    return share - 3 * std::sqrt(share * (1 - share) / rounds);
}

TEST(Correlation, AgreesWithAWorkedExample) {
    // Without ties rho = 1 - 6 sum d^2 / (n (n^2 - 1)); here sum d^2 = 194.
    const std::vector<double> x{106, 100, 86, 101, 99, 103, 97, 113, 112, 110};
    const std::vector<double> y{7, 27, 2, 50, 28, 29, 20, 12, 6, 17};
    EXPECT_NEAR(spearman(x, y).value(), 1 - 6.0 * 194 / 990, 1e-12);
    EXPECT_THAT(midranks(std::vector<double>{3, 1, 3, 2}), ElementsAre(3.5, 1, 3.5, 2));
    EXPECT_FALSE(spearman(x, std::vector<double>(10, 5.0)));
    EXPECT_FALSE(correlate(std::vector<double>{1, 2, 3, 4, 5}, std::vector<double>{1, 2, 3, 4, 5}));
}

TEST(Correlation, SixPointsInOrderHaveTheExactP) {
    const std::vector<double> x{1, 2, 3, 4, 5, 6};
    EXPECT_NEAR(correlate(x, x)->p_value, 2.0 / 720, 1e-12);
}

TEST(Correlation, HoldingAConfounderFixedRemovesIt) {
    Random random(5); // NOLINT(cert-msc51-cpp)
    std::normal_distribution<double> normal;
    std::vector<double> x, y, z;
    for (int i = 0; i < 200; ++i) {
        z.push_back(normal(random));
        x.push_back(z.back() + 0.5 * normal(random));
        y.push_back(z.back() + 0.5 * normal(random));
    }
    EXPECT_GT(spearman(x, y).value(), 0.6);
    EXPECT_NEAR(partial_spearman(x, y, z).value(), 0, 0.2);
    EXPECT_FALSE(partial_spearman(x, y, x)) << "x explains itself";
}

TEST(Correlation, HolmIsStepDown) {
    EXPECT_THAT(holm(std::vector<double>{0.01, 0.04, 0.03, 0.005}),
                ElementsAre(DoubleNear(0.03, 1e-12), DoubleNear(0.06, 1e-12), DoubleNear(0.06, 1e-12),
                            DoubleNear(0.02, 1e-12)));
    EXPECT_TRUE(holm({}).empty());
}

// The interval holds the rank correlation of the whole population at least 95
// times in 100; for a bivariate normal that is 6 / pi asin(rho / 2).
TEST(Coverage, RankCorrelationIntervalsHold) {
    constexpr int rounds = 300;
    Random random(6); // NOLINT(cert-msc51-cpp)
    std::normal_distribution<double> normal;
    for (const double rho : {0.0, 0.7}) {
        for (const std::size_t n : {std::size_t{8}, std::size_t{17}}) {
            const double truth = 6 / std::numbers::pi * std::asin(rho / 2);
            int covered = 0;
            int false_alarms = 0;
            for (int round = 0; round < rounds; ++round) {
                std::vector<double> x(n), y(n);
                for (std::size_t i = 0; i < n; ++i) {
                    x[i] = normal(random);
                    y[i] = rho * x[i] + std::sqrt(1 - rho * rho) * normal(random);
                }
                const auto found = correlate(x, y);
                covered += static_cast<int>(found && found->interval95 && found->interval95->low <= truth &&
                                            truth <= found->interval95->high);
                false_alarms += static_cast<int>(found && found->p_value <= 0.05);
            }
            EXPECT_GE(covered, least(0.95, rounds) * rounds) << rho << " " << n;
            if (rho == 0) {
                EXPECT_LE(false_alarms, most(0.05, rounds) * rounds) << n;
            }
        }
    }
}

TEST(Changepoints, AFlatSequenceIsRarelySplit) {
    constexpr int rounds = 300;
    Random random(7); // NOLINT(cert-msc51-cpp)
    std::normal_distribution<double> normal;
    std::exponential_distribution<double> skewed;
    int split = 0;
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> values(17);
        for (double& value : values)
            value = round % 2 == 0 ? normal(random) : skewed(random);
        split += static_cast<int>(segment(values, 1e-4).ends.size() > 1);
    }
    EXPECT_LE(split, most(0.05, rounds) * rounds);
}

TEST(Changepoints, ClearStepsAreFoundWhereTheyAre) {
    std::vector<double> values;
    Random random(8); // NOLINT(cert-msc51-cpp)
    std::normal_distribution<double> normal;
    for (const double level : {1.0, 5.0, 2.0})
        for (int i = 0; i < 6; ++i)
            values.push_back(level + 0.2 * normal(random));
    EXPECT_THAT(segment(values, 1e-4).ends, ElementsAre(6, 12, 18));
    EXPECT_THAT(segment(std::vector<double>(12, 3.0), 1e-4).ends, ElementsAre(12));
    EXPECT_THAT(segment(std::vector<double>{1, 9, 1, 9, 1}, 1e-4).ends, ElementsAre(5)) << "too few";
}

Curve curve_of(Random& random, int points, int repeats, double between, double restart) {
    std::normal_distribution<double> normal;
    Curve out;
    for (int i = 0; i < points; ++i) {
        CurvePoint point;
        point.x = i + 1;
        const double level = between * normal(random);
        for (int repeat = 0; repeat < repeats; ++repeat)
            point.tps.push_back(1e5 * std::exp(level + restart * normal(random)));
        out.points.push_back(std::move(point));
    }
    return out;
}

TEST(Coverage, VarianceComponentsHold) {
    constexpr int rounds = 2000;
    Random random(9); // NOLINT(cert-msc51-cpp)
    int restart = 0;
    int ratio = 0;
    int false_alarms = 0;
    for (int round = 0; round < rounds; ++round) {
        const auto found = variance_components(curve_of(random, 6, 5, 0.06, 0.03));
        restart += static_cast<int>(found->restart_sd95.low <= 0.03 && 0.03 <= found->restart_sd95.high);
        ratio += static_cast<int>(found->between_ratio95.low <= 4 && 4 <= found->between_ratio95.high);
        false_alarms += static_cast<int>(variance_components(curve_of(random, 6, 5, 0, 0.03))->p_value <= 0.05);
    }
    EXPECT_GE(restart, least(0.95, rounds) * rounds);
    EXPECT_GE(ratio, least(0.95, rounds) * rounds);
    EXPECT_LE(false_alarms, most(0.05, rounds) * rounds);
    EXPECT_FALSE(variance_components(curve_of(random, 6, 1, 0.1, 0.1))) << "no repeats";
}

TEST(Shape, NoiseIsNoShape) {
    constexpr int rounds = 400;
    Random random(10); // NOLINT(cert-msc51-cpp)
    int shaped = 0;
    for (int round = 0; round < rounds; ++round)
        shaped += static_cast<int>(shape_of(curve_of(random, 6, 5, 0, 0.03)).form != Form::flat);
    EXPECT_LE(shaped, most(0.05, rounds) * rounds);
}

TEST(Shape, ALineIsALineOnlyWhereItDescribes) {
    Random random(11); // NOLINT(cert-msc51-cpp)
    std::normal_distribution<double> normal;
    Curve line;
    Curve step;
    for (int i = 0; i < 10; ++i) {
        CurvePoint point;
        point.x = i;
        for (int repeat = 0; repeat < 4; ++repeat)
            point.tps.push_back(1000 + 100 * i + 5 * normal(random));
        line.points.push_back(point);
        point.tps = {i < 5 ? 1000 + i : 2000.0 + i, i < 5 ? 1001 + i : 2001.0 + i};
        step.points.push_back(point);
    }
    EXPECT_TRUE(shape_of(line).line_describes);
    EXPECT_EQ(shape_of(line).form, Form::rising);
    EXPECT_FALSE(shape_of(step).line_describes);
}

TEST(TwoGroups, OneGroupIsRarelySplitAndTwoAreNamed) {
    constexpr int rounds = 300;
    Random random(12); // NOLINT(cert-msc51-cpp)
    std::normal_distribution<double> normal;
    int split = 0;
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> values(12);
        for (double& value : values)
            value = 1000 * std::exp(0.03 * normal(random));
        split += static_cast<int>(two_groups(values).has_value());
    }
    EXPECT_LE(split, most(0.01, rounds) * rounds);
    const auto found = two_groups(std::vector<double>{980, 1210, 985, 1205, 979, 1212, 1208, 982, 1211, 1207});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->low_count, 4U);
    EXPECT_NEAR(found->high, 1209, 1);
    EXPECT_FALSE(two_groups(std::vector<double>{1, 1, 1, 1, 1, 1, 1, 100})) << "an outlier is no group";
}

} // namespace
} // namespace snapscope
