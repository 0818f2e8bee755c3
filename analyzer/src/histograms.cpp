#include <snapscope/analyzer/histograms.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace snapscope {
namespace {

// Bucket i, cut by the exact extremes.
Interval bucket(const Histogram& histogram, std::size_t i) {
    Interval out{histogram.bounds[i], histogram.bounds[i + 1]};
    if (histogram.min)
        out.low = std::clamp(*histogram.min, out.low, out.high);
    if (histogram.max)
        out.high = std::clamp(*histogram.max, out.low, out.high);
    return out;
}

bool well_formed(const Histogram& histogram) {
    return histogram.bounds.size() == histogram.counts.size() + 1;
}

} // namespace

std::uint64_t histogram_count(const Histogram& histogram) {
    return std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::uint64_t{0});
}

std::optional<Interval> quantile_bounds(const Histogram& histogram, double q) {
    const std::uint64_t count = histogram_count(histogram);
    if (count == 0 || !well_formed(histogram))
        return std::nullopt;
    // The smallest value with at least q of all at or below it.
    const auto rank = static_cast<std::uint64_t>(std::max(1.0, std::ceil(q * static_cast<double>(count))));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
        seen += histogram.counts[i];
        if (seen >= rank)
            return bucket(histogram, i);
    }
    return std::nullopt;
}

std::optional<double> histogram_mean(const Histogram& histogram) {
    const std::uint64_t count = histogram_count(histogram);
    if (count == 0 || !well_formed(histogram))
        return std::nullopt;
    double sum = 0;
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
        if (histogram.counts[i] == 0)
            continue;
        const Interval at = bucket(histogram, i);
        sum += static_cast<double>(histogram.counts[i]) * (at.low + at.high) / 2;
    }
    return std::isfinite(sum) ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

} // namespace snapscope
