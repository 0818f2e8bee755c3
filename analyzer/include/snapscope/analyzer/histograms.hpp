// What a histogram of buckets can say, and no more.
#pragma once

#include <snapscope/analyzer/statistics.hpp>
#include <snapscope/recording/run.hpp>

#include <optional>

namespace snapscope {

// Values counted.
[[nodiscard]] std::uint64_t histogram_count(const Histogram& histogram);

// The bucket that holds the q-quantile: it lies in [low, high).  Where the
// exact extremes are known they cut the bucket.  nullopt for an empty histogram.
[[nodiscard]] std::optional<Interval> quantile_bounds(const Histogram& histogram, double q);

// Mean with every value at the middle of its bucket, the outer buckets cut by
// the extremes where known: off by at most half a bucket's width.
[[nodiscard]] std::optional<double> histogram_mean(const Histogram& histogram);

} // namespace snapscope
