// A log-linear histogram of whole numbers: every power of two is cut into
// 2^bits equal buckets, so a bucket is at most 1 / 2^bits of its value wide.
// The eBPF program fills the same buckets (snapscope/probes/buckets.h).
#pragma once

#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

class LogHistogram {
  public:
    LogHistogram();

    void add(std::uint64_t value) { add_bucket_of(value, 1); }
    void add_bucket(std::size_t bucket, std::uint64_t count);
    void note_extremes(std::uint64_t min, std::uint64_t max);
    LogHistogram& operator+=(const LogHistogram& other);

    [[nodiscard]] std::uint64_t count() const;
    // Without the empty buckets at both ends.
    [[nodiscard]] Histogram to_histogram(std::string name, std::string source, std::string unit,
                                         std::string label) const;

  private:
    void add_bucket_of(std::uint64_t value, std::uint64_t count);

    std::vector<std::uint64_t> counts_;
    std::optional<std::uint64_t> min_, max_;
};

} // namespace snapscope
