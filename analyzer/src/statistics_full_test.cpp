// The long simulations: what docs/statistics.md states, to two digits.
#include <snapscope/analyzer/compare.hpp>
#include <snapscope/analyzer/correlation.hpp>

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <random>
#include <vector>

namespace snapscope {
namespace {

using Random = std::mt19937;

struct Power {
    double noise;
    std::size_t pairs;
    std::array<double, 5> shown; // at a change of 0, 1, 2, 5 and 10 %
};
constexpr std::array changes{0.0, 0.01, 0.02, 0.05, 0.10};
const std::vector<Power> stated{{0.01, 6, {0.03, 0.35, 0.87, 1, 1}},       {0.01, 12, {0.04, 0.85, 1, 1, 1}},
                                {0.01, 24, {0.05, 0.99, 1, 1, 1}},         {0.02, 6, {0.03, 0.11, 0.35, 0.96, 1}},
                                {0.02, 12, {0.04, 0.31, 0.84, 1, 1}},      {0.02, 24, {0.05, 0.63, 0.99, 1, 1}},
                                {0.05, 6, {0.03, 0.04, 0.08, 0.34, 0.85}}, {0.05, 12, {0.04, 0.08, 0.21, 0.83, 1}},
                                {0.05, 24, {0.05, 0.15, 0.45, 0.99, 1}}};

TEST(FullPower, OfPairsIsWhatTheDocumentationStates) {
    constexpr int rounds = 2000;
    Random random(41); // NOLINT(cert-msc51-cpp)
    std::normal_distribution<double> normal;
    for (const Power& row : stated) {
        for (std::size_t c = 0; c < changes.size(); ++c) {
            int count = 0;
            for (int round = 0; round < rounds; ++round) {
                std::vector<double> base(row.pairs, 1000.0);
                std::vector<double> other;
                for (std::size_t i = 0; i < row.pairs; ++i)
                    other.push_back(1000 * (1 + changes[c]) * std::exp(row.noise * normal(random)));
                const Verdict verdict = compare_paired(base, other).verdict;
                count += static_cast<int>(verdict == Verdict::higher || verdict == Verdict::lower);
            }
            const double p = row.shown[c];
            EXPECT_NEAR(static_cast<double>(count) / rounds, p,
                        0.01 + 3 * std::sqrt(std::max(0.01, p * (1 - p)) / rounds))
                << row.noise << " " << row.pairs << " " << changes[c];
        }
    }
}

TEST(FullCoverage, RankCorrelationIntervalsHoldAtEverySize) {
    constexpr int rounds = 1500;
    Random random(42); // NOLINT(cert-msc51-cpp)
    std::normal_distribution<double> normal;
    for (const double rho : {0.0, 0.5, 0.9}) {
        for (const std::size_t n : {std::size_t{6}, std::size_t{10}, std::size_t{17}, std::size_t{30}}) {
            const double truth = 6 / std::numbers::pi * std::asin(rho / 2);
            int covered = 0;
            for (int round = 0; round < rounds; ++round) {
                std::vector<double> x(n);
                std::vector<double> y(n);
                for (std::size_t i = 0; i < n; ++i) {
                    x[i] = normal(random);
                    y[i] = rho * x[i] + std::sqrt(1 - rho * rho) * normal(random);
                }
                const auto found = correlate(x, y);
                covered += static_cast<int>(found && found->interval95 && found->interval95->low <= truth &&
                                            truth <= found->interval95->high);
            }
            EXPECT_GE(covered, (0.95 - 3 * std::sqrt(0.95 * 0.05 / rounds)) * rounds) << rho << " " << n;
        }
    }
}

} // namespace
} // namespace snapscope
