// Summaries of one sample: median, quantiles, and the distribution-free
// confidence interval of the median.  Used by summary, diff, sweep and reports.
#pragma once

#include <optional>
#include <span>

namespace snapscope {

struct Interval {
    double low = 0;
    double high = 0;
};

// Mean of the two middle values for an even count; nullopt for no values.
[[nodiscard]] std::optional<double> median(std::span<const double> values);

// Quantile q in [0, 1], linear between order statistics (Hyndman & Fan 1996,
// type 7); nullopt for no values.
[[nodiscard]] std::optional<double> quantile(std::span<const double> values, double q);

[[nodiscard]] std::optional<double> mean(std::span<const double> values);

// 95 % confidence interval of the median from order statistics: [x(k),
// x(n+1-k)] with the largest k for which P(Binomial(n, 1/2) < k) <= 0.025
// (David & Nagaraja, Order Statistics, 7.1).  nullopt below 6 values: none exists.
[[nodiscard]] std::optional<Interval> median_interval95(std::span<const double> values);

} // namespace snapscope
