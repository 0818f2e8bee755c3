#include "line_estimate.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr double alpha = 0.05 / 3 / 2; // a side of each of three intervals
// With more errors than this, the correction only magnifies noise.
constexpr double most_errors = 0.5;

struct Bounds {
    double low = 0, high = 1;
};

Bounds exact_bounds(std::uint64_t part, std::uint64_t whole) {
    using Binomial = boost::math::binomial_distribution<double>;
    if (whole == 0)
        return {};
    const auto n = static_cast<double>(whole);
    const auto k = static_cast<double>(part);
    return {part == 0 ? 0 : Binomial::find_lower_bound_on_p(n, k, alpha),
            part == whole ? 1 : Binomial::find_upper_bound_on_p(n, k, alpha)};
}

double corrected(double share_slow, double missed, double false_slow) {
    const double tells = 1 - missed - false_slow;
    return tells <= 0 ? (share_slow > false_slow ? 1 : 0) : std::clamp((share_slow - false_slow) / tells, 0.0, 1.0);
}

} // namespace

Result<LineEstimate> estimate_lines(std::uint64_t lines, const TimedLoads& loads, const LoadThreshold& threshold) {
    if (loads.loads == 0 || loads.slow > loads.loads)
        return fail("no lines can be estimated from no loads");
    LineEstimate out;
    out.missed_rate = threshold.missed_rate();
    out.false_rate = threshold.false_rate();
    if (threshold.slow_loads == 0 || threshold.fast_loads == 0 || out.missed_rate + out.false_rate >= most_errors)
        return fail(fmt::format("the threshold of {} cycles does not tell lines that had left: it misses {:.0f} % and "
                                "takes {:.0f} % wrongly",
                                threshold.cycles, 100 * out.missed_rate, 100 * out.false_rate),
                    "calibrate on a quieter machine");
    out.share_slow = static_cast<double>(loads.slow) / static_cast<double>(loads.loads);
    const Bounds slow = exact_bounds(loads.slow, loads.loads);
    const Bounds missed = exact_bounds(threshold.missed, threshold.slow_loads);
    const Bounds falsely = exact_bounds(threshold.false_slow, threshold.fast_loads);
    const auto all = static_cast<double>(lines);
    out.lines = all * corrected(out.share_slow, out.missed_rate, out.false_rate);
    // Fewer errors of the one kind, more of the other: both ends of what can be.
    out.low =
        all * std::min(corrected(slow.low, missed.low, falsely.high), corrected(slow.low, missed.high, falsely.high));
    out.high =
        all * std::max(corrected(slow.high, missed.high, falsely.low), corrected(slow.high, missed.low, falsely.low));
    return out;
}

} // namespace snapscope
