#include <snapscope/collector/log_histogram.hpp>
#include <snapscope/probes/buckets.h>

#include <algorithm>
#include <numeric>

namespace snapscope {

LogHistogram::LogHistogram() : counts_(SNAPSCOPE_BUCKETS) {}

void LogHistogram::add_bucket_of(std::uint64_t value, std::uint64_t count) {
    counts_[snapscope_bucket_of(value)] += count;
    note_extremes(value, value);
}

void LogHistogram::add_bucket(std::size_t bucket, std::uint64_t count) {
    if (bucket < counts_.size())
        counts_[bucket] += count;
}

void LogHistogram::note_extremes(std::uint64_t min, std::uint64_t max) {
    min_ = std::min(min_.value_or(min), min);
    max_ = std::max(max_.value_or(max), max);
}

LogHistogram& LogHistogram::operator+=(const LogHistogram& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i)
        counts_[i] += other.counts_[i];
    if (other.min_ && other.max_)
        note_extremes(*other.min_, *other.max_);
    return *this;
}

std::uint64_t LogHistogram::count() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

Histogram LogHistogram::to_histogram(std::string name, std::string source, std::string unit, std::string label) const {
    Histogram histogram;
    histogram.name = std::move(name);
    histogram.source = std::move(source);
    histogram.unit = std::move(unit);
    histogram.label = std::move(label);
    const auto used = [](std::uint64_t count) { return count != 0; };
    const auto first = std::find_if(counts_.begin(), counts_.end(), used) - counts_.begin();
    const auto end = counts_.rend() - std::find_if(counts_.rbegin(), counts_.rend(), used);
    for (auto i = first; i < end; ++i) {
        histogram.bounds.push_back(static_cast<double>(snapscope_bucket_floor(static_cast<std::uint32_t>(i))));
        histogram.counts.push_back(counts_[static_cast<std::size_t>(i)]);
    }
    if (!histogram.counts.empty())
        histogram.bounds.push_back(static_cast<double>(snapscope_bucket_floor(static_cast<std::uint32_t>(end))));
    if (min_)
        histogram.min = static_cast<double>(*min_);
    if (max_)
        histogram.max = static_cast<double>(*max_);
    return histogram;
}

} // namespace snapscope
