// Time series short enough to send, with their spikes: min/max buckets.
//
// Windows are put into buckets of equal number, and of each series a bucket
// keeps the least and the greatest value, in the order in which they came.  So
// no extreme is ever lost, and what is drawn are values that were there; only
// their place within the bucket is not kept.  The same buckets serve all series
// of a run.  (M4 would keep the first and the last value of a bucket, too: exact
// at one width, twice the size.  LTTB keeps a shape, and may drop a spike.)
#pragma once

#include <snapscope/recording/run.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace snapscope {

inline constexpr std::size_t max_points = 4000; // of a series on the page

// Rows [first, last) of the windows.
struct Bucket {
    std::size_t first = 0, last = 0;
    bool gap_before = false; // time that nobody watched lies before it
};

// At most about `limit` points: all windows where they are that few, else two a
// bucket.  A bucket never reaches across a gap.
struct BucketPlan {
    std::vector<Bucket> buckets;
    bool every_window = true;
    std::size_t largest = 1; // windows in the largest bucket

    // The drawn points; gaps have one of their own.
    [[nodiscard]] std::size_t points() const;
};
[[nodiscard]] BucketPlan plan_buckets(const Windows& windows, std::size_t limit = max_points);

// Seconds since `origin_ns` of every point: the middle of a window, or a quarter
// and three quarters of a bucket.
[[nodiscard]] std::vector<double> point_times(const Windows& windows, const BucketPlan& plan, std::int64_t origin_ns);

// A value a point, NaN where there is none.  `values` has one a window.
[[nodiscard]] std::vector<float> point_values(const std::vector<std::optional<double>>& values, const BucketPlan& plan);

// A column of differences as a rate per second; absent where the window has no length.
[[nodiscard]] std::vector<std::optional<double>> per_second(const Windows& windows,
                                                            const std::vector<std::optional<double>>& values);

} // namespace snapscope
