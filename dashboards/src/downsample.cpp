#include "downsample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace snapscope {
namespace {

constexpr float absent = std::numeric_limits<float>::quiet_NaN();

double length_ns(const Windows& windows, std::size_t row) {
    return static_cast<double>(windows.end_ns[row]) - static_cast<double>(windows.start_ns[row]);
}

// Half of the usual interval is longer than any delay between two windows.
double shortest_gap_ns(const Windows& windows) {
    std::vector<double> lengths;
    lengths.reserve(windows.start_ns.size());
    for (std::size_t row = 0; row < windows.start_ns.size(); ++row)
        lengths.push_back(length_ns(windows, row));
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    return *middle / 2;
}

float as_float(double value) {
    // Beyond a float's range stays beyond the axis, not infinite.
    constexpr double most = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(value, -most, most));
}

} // namespace

std::size_t BucketPlan::points() const {
    std::size_t out = 0;
    for (const Bucket& bucket : buckets)
        out += (bucket.gap_before ? 1U : 0U) + (every_window ? 1U : 2U);
    return out;
}

BucketPlan plan_buckets(const Windows& windows, std::size_t limit) {
    BucketPlan plan;
    const std::size_t rows = windows.start_ns.size();
    if (rows == 0)
        return plan;
    plan.every_window = rows <= limit;
    const std::size_t size = plan.every_window ? 1 : (2 * rows + limit - 1) / limit;
    const double gap_ns = shortest_gap_ns(windows);
    for (std::size_t row = 0; row < rows; ++row) {
        const double pause_ns =
            row == 0 ? 0 : static_cast<double>(windows.start_ns[row]) - static_cast<double>(windows.end_ns[row - 1]);
        const bool gap = pause_ns > gap_ns && pause_ns > 0;
        if (row == 0 || gap || row - plan.buckets.back().first == size)
            plan.buckets.push_back({row, row, gap});
        plan.buckets.back().last = row + 1;
    }
    for (const Bucket& bucket : plan.buckets)
        plan.largest = std::max(plan.largest, bucket.last - bucket.first);
    return plan;
}

std::vector<double> point_times(const Windows& windows, const BucketPlan& plan, std::int64_t origin_ns) {
    std::vector<double> out;
    out.reserve(plan.points());
    const auto seconds = [&](std::int64_t ns) {
        return (static_cast<double>(ns) - static_cast<double>(origin_ns)) / 1e9;
    };
    for (const Bucket& bucket : plan.buckets) {
        const double start = seconds(windows.start_ns[bucket.first]);
        const double end = seconds(windows.end_ns[bucket.last - 1]);
        if (bucket.gap_before)
            out.push_back((seconds(windows.end_ns[bucket.first - 1]) + start) / 2);
        if (plan.every_window) {
            out.push_back((start + end) / 2);
        } else {
            out.push_back(start + (end - start) / 4);
            out.push_back(start + (end - start) * 3 / 4);
        }
    }
    return out;
}

std::vector<float> point_values(const std::vector<std::optional<double>>& values, const BucketPlan& plan) {
    std::vector<float> out;
    out.reserve(plan.points());
    for (const Bucket& bucket : plan.buckets) {
        if (bucket.gap_before)
            out.push_back(absent);
        std::optional<std::size_t> low;
        std::optional<std::size_t> high;
        for (std::size_t row = bucket.first; row < bucket.last; ++row) {
            if (!values[row] || std::isnan(*values[row]))
                continue;
            if (!low || *values[row] < *values[*low])
                low = row;
            if (!high || *values[row] > *values[*high])
                high = row;
        }
        if (!low) {
            out.insert(out.end(), plan.every_window ? 1 : 2, absent);
            continue;
        }
        out.push_back(as_float(*values[std::min(*low, *high)]));
        if (!plan.every_window)
            out.push_back(as_float(*values[std::max(*low, *high)]));
    }
    return out;
}

std::vector<std::optional<double>> per_second(const Windows& windows,
                                              const std::vector<std::optional<double>>& values) {
    std::vector<std::optional<double>> out(values.size());
    for (std::size_t row = 0; row < values.size(); ++row)
        if (const double ns = length_ns(windows, row); values[row] && ns > 0)
            out[row] = *values[row] / (ns / 1e9);
    return out;
}

} // namespace snapscope
