#include <snapscope/analyzer/statistics.hpp>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numeric>
#include <vector>

namespace snapscope {
namespace {

std::vector<double> sorted(std::span<const double> values) {
    std::vector<double> out(values.begin(), values.end());
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace

std::optional<double> quantile(std::span<const double> values, double q) {
    if (values.empty())
        return std::nullopt;
    const std::vector<double> ordered = sorted(values);
    const double at = std::clamp(q, 0.0, 1.0) * static_cast<double>(ordered.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, ordered.size() - 1);
    return std::lerp(ordered[below], ordered[above], at - static_cast<double>(below));
}

std::optional<double> median(std::span<const double> values) {
    return quantile(values, 0.5);
}

std::optional<double> mean(std::span<const double> values) {
    if (values.empty())
        return std::nullopt;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<Interval> median_interval95(std::span<const double> values) {
    constexpr double tail = 0.025;
    const std::size_t n = values.size();
    if (n < 6)
        return std::nullopt;
    const boost::math::binomial_distribution<> below_median(static_cast<double>(n), 0.5);
    // Boost rounds a lower quantile down; step up to the last k that still holds.
    auto k = static_cast<std::size_t>(boost::math::quantile(below_median, tail));
    while (k > 0 && boost::math::cdf(below_median, static_cast<double>(k) - 1) > tail)
        --k;
    while (boost::math::cdf(below_median, static_cast<double>(k)) <= tail)
        ++k;
    const std::vector<double> ordered = sorted(values);
    return Interval{ordered[k - 1], ordered[n - k]};
}

} // namespace snapscope
