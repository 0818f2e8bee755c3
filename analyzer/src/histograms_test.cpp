#include <snapscope/analyzer/histograms.hpp>

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace snapscope {
namespace {

// A published histogram of powers of two.
Histogram published() {
    std::ifstream file(std::string(SNAPSCOPE_SOURCE_DIR) + "/tests/cases/h29-funclatency-histogram.csv");
    Histogram out;
    out.name = "snapshot_duration";
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::uint64_t low = 0;
        std::uint64_t high = 0;
        std::uint64_t count = 0;
        char comma = 0;
        std::istringstream(line) >> low >> comma >> high >> comma >> count;
        if (out.bounds.empty())
            out.bounds.push_back(static_cast<double>(low));
        out.bounds.push_back(static_cast<double>(high + 1));
        out.counts.push_back(count);
    }
    return out;
}

TEST(Histograms, APercentileIsABucketAndNoNumber) {
    const Histogram histogram = published();
    ASSERT_EQ(histogram.counts.size(), 6U);
    for (const double q : {0.5, 0.99}) {
        const auto bounds = quantile_bounds(histogram, q);
        ASSERT_TRUE(bounds);
        EXPECT_EQ(bounds->low, 1024);
        EXPECT_EQ(bounds->high, 2048);
    }
    EXPECT_EQ(quantile_bounds(histogram, 0.999)->low, 16384);
    EXPECT_EQ(quantile_bounds(histogram, 0.999)->high, 32768);
}

TEST(Histograms, KnownExtremesCutTheOuterBuckets) {
    Histogram histogram{"d", "ring", "ns", "", {0, 10, 20}, {1, 1}, 8.0, 12.0};
    EXPECT_EQ(quantile_bounds(histogram, 0)->low, 8);
    EXPECT_EQ(quantile_bounds(histogram, 1)->high, 12);
    EXPECT_EQ(histogram_mean(histogram), 10); // (9 + 11) / 2
}

TEST(Histograms, NothingCountedSaysNothing) {
    EXPECT_FALSE(quantile_bounds(Histogram{}, 0.5));
    EXPECT_FALSE(histogram_mean(Histogram{}));
    EXPECT_FALSE(quantile_bounds(Histogram{"d", "", "", "", {1, 2}, {1, 1}, {}, {}}, 0.5)); // bounds do not fit
}

} // namespace
} // namespace snapscope
