#include "rank_inversion.hpp"
#include "rank_null.hpp"

#include <snapscope/analyzer/rank_tests.hpp>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace snapscope {
namespace {

// The grid of shifts is a quarter of the grid of values: Walsh averages lie on
// halves, and the middle between two of them on quarters.
constexpr std::int64_t fine = 4;

std::vector<std::int64_t> on_grid(std::span<const double> values, double resolution) {
    std::vector<std::int64_t> out;
    out.reserve(values.size());
    for (const double value : values)
        out.push_back(fine * std::llround(value / resolution));
    return out;
}

void sort_distinct(std::vector<std::int64_t>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Two-sided, `distance` from the mean in doubled ranks, continuity corrected.
double normal_p(double distance, double variance) {
    if (variance <= 0)
        return 1;
    const double z = std::max(0.0, std::fabs(distance) - 1) / std::sqrt(variance);
    return std::min(1.0, 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), z)));
}

double median_of(std::vector<std::int64_t> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    const auto upper = static_cast<double>(*middle);
    if (values.size() % 2 == 1)
        return upper;
    return (upper + static_cast<double>(*std::max_element(values.begin(), middle))) / 2;
}

// Where a statistic that falls with t crosses 0, between low (> 0) and high (< 0).
std::int64_t crossing(std::int64_t low, std::int64_t high, const std::function<std::int64_t(std::int64_t)>& statistic) {
    const auto first = [&](auto holds) {
        std::int64_t no = low;
        std::int64_t yes = high;
        while (yes - no > 1) {
            const std::int64_t middle = no + (yes - no) / 2;
            (holds(statistic(middle)) ? yes : no) = middle;
        }
        return yes;
    };
    const std::int64_t begin = first([](std::int64_t s) { return s <= 0; });
    const std::int64_t end = first([](std::int64_t s) { return s < 0; });
    return begin + (end - begin) / 2;
}

RankTest to_result(const Inversion& inversion, double shift, double resolution, bool exact) {
    const double unit = resolution / static_cast<double>(fine);
    return {inversion.p_value, shift * unit, {inversion.low * unit, inversion.high * unit}, exact};
}

// The signed rank sum at a shift, with the ranks that carry a sign.
struct SignedRanks {
    std::vector<std::int64_t> ranks;
    std::int64_t sum = 0;
};

SignedRanks signed_ranks(const std::vector<std::int64_t>& values, std::int64_t t) {
    std::vector<std::int64_t> sizes;
    sizes.reserve(values.size());
    for (const std::int64_t value : values)
        sizes.push_back(std::abs(value - t));
    SignedRanks out;
    const auto ranks = doubled_midranks(sizes);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == t)
            continue;
        out.ranks.push_back(ranks[i]);
        out.sum += values[i] > t ? ranks[i] : -ranks[i];
    }
    return out;
}

// Rank sum of `other` shifted back by t, in all values.
struct RankSum {
    std::vector<std::int64_t> ranks;
    std::int64_t sum = 0;
};

RankSum rank_sum(const std::vector<std::int64_t>& base, const std::vector<std::int64_t>& other, std::int64_t t) {
    std::vector<std::int64_t> all = base;
    for (const std::int64_t value : other)
        all.push_back(value - t);
    RankSum out{doubled_midranks(all), 0};
    out.sum =
        std::accumulate(out.ranks.begin() + static_cast<std::ptrdiff_t>(base.size()), out.ranks.end(), std::int64_t{0});
    return out;
}

} // namespace

std::optional<RankTest> signed_rank_test(std::span<const double> differences, double resolution) {
    if (differences.size() < min_pairs)
        return std::nullopt;
    const std::vector<std::int64_t> values = on_grid(differences, resolution);
    if (values.size() <= exact_pairs) {
        std::vector<std::int64_t> walsh;
        for (std::size_t i = 0; i < values.size(); ++i)
            for (std::size_t j = i; j < values.size(); ++j)
                walsh.push_back((values[i] + values[j]) / 2);
        const double shift = median_of(walsh);
        sort_distinct(walsh);
        SignedRankNull null;
        const auto p_at = [&](std::int64_t t) {
            SignedRanks at = signed_ranks(values, t);
            return null.p_value(std::move(at.ranks), at.sum);
        };
        return to_result(invert_exactly(walsh, p_at), shift, resolution, true);
    }
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const auto p_at = [&](std::int64_t t) {
        const SignedRanks at = signed_ranks(values, t);
        double variance = 0;
        for (const std::int64_t rank : at.ranks)
            variance += static_cast<double>(rank) * static_cast<double>(rank);
        return normal_p(static_cast<double>(at.sum) / 2, variance / 4);
    };
    const std::int64_t low = *least - 1;
    const std::int64_t high = *most + 1;
    const std::int64_t centre = crossing(low, high, [&](std::int64_t t) { return signed_ranks(values, t).sum; });
    return to_result(invert_by_bisection(low, centre, high, p_at), static_cast<double>(centre), resolution, false);
}

std::optional<RankTest> rank_sum_test(std::span<const double> base, std::span<const double> other, double resolution) {
    if (base.size() < min_side || other.size() < min_side)
        return std::nullopt;
    const std::vector<std::int64_t> x = on_grid(base, resolution);
    const std::vector<std::int64_t> y = on_grid(other, resolution);
    if (x.size() + y.size() <= exact_values) {
        std::vector<std::int64_t> differences;
        for (const std::int64_t from : x)
            for (const std::int64_t to : y)
                differences.push_back(to - from);
        const double shift = median_of(differences);
        sort_distinct(differences);
        RankSumNull null(y.size());
        const auto p_at = [&](std::int64_t t) {
            RankSum at = rank_sum(x, y, t);
            return null.p_value(std::move(at.ranks), at.sum);
        };
        return to_result(invert_exactly(differences, p_at), shift, resolution, true);
    }
    const auto m = static_cast<double>(x.size());
    const auto n = static_cast<double>(y.size());
    const auto expected = static_cast<std::int64_t>(y.size() * (x.size() + y.size() + 1)); // doubled ranks
    const auto p_at = [&](std::int64_t t) {
        const RankSum at = rank_sum(x, y, t);
        double squares = 0;
        for (const std::int64_t rank : at.ranks)
            squares += std::pow(static_cast<double>(rank) - (m + n + 1), 2);
        return normal_p(static_cast<double>(at.sum - expected), m * n / ((m + n) * (m + n - 1)) * squares);
    };
    const auto [x_least, x_most] = std::minmax_element(x.begin(), x.end());
    const auto [y_least, y_most] = std::minmax_element(y.begin(), y.end());
    const std::int64_t low = *y_least - *x_most - 1;
    const std::int64_t high = *y_most - *x_least + 1;
    const std::int64_t centre = crossing(low, high, [&](std::int64_t t) { return rank_sum(x, y, t).sum - expected; });
    return to_result(invert_by_bisection(low, centre, high, p_at), static_cast<double>(centre), resolution, false);
}

} // namespace snapscope
