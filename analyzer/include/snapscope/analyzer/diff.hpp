// Two groups of measurements, compared metric by metric: the answer of
// `snapscope diff`, which reports print too.
#pragma once

#include <snapscope/analyzer/compare.hpp>
#include <snapscope/analyzer/measurements.hpp>
#include <snapscope/analyzer/metrics.hpp>

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

struct SideSummary {
    std::size_t n = 0;
    double median = 0;
    double mean = 0;
    std::optional<Interval> ci95; // of the median; null below 6
};

struct MetricDiff {
    std::string name;
    std::string unit;
    Better better = Better::none;
    SideSummary base, other;
    Comparison comparison;
    std::optional<double> mean_change_percent;

    // Worse in the metric's own direction, and shown.
    [[nodiscard]] bool regression() const;
    [[nodiscard]] bool improvement() const;
};

struct Diff {
    std::vector<std::string> base, other; // labels
    std::vector<MetricDiff> metrics;      // the contract's order, then by name
    bool paired = false;
    bool partial = false; // a run on either side is unfinished
    std::string test;     // which test, in words
    std::vector<std::string> warnings;

    [[nodiscard]] bool regression() const;
};

// Paired when every measurement has a pairing of the same series and each
// round stands exactly once on either side; else unpaired.
//
// Fails where a comparison would be wrong: workloads that are not valid,
// reconnect against persistent connections, different numbers of clients, a
// run given twice on one side, nothing in common.
[[nodiscard]] Result<Diff> diff(const std::vector<Measurement>& base, const std::vector<Measurement>& other);

[[nodiscard]] nlohmann::json to_json(const Diff& diff);

} // namespace snapscope
