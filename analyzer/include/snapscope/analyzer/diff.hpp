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

// How far two groups of runs of one configuration lie apart.
struct AaFloor {
    std::optional<double> percent;        // far end of the 95 % interval; null: too few runs
    std::optional<double> change_percent; // estimate of the A/A difference
    std::optional<double> p_value;
    std::size_t n = 0;
    bool differs = false; // the two are shown to differ: the machine is not the same throughout
    bool given = false;   // by runs made for it; false: from base's own repeats
};

struct MetricDiff {
    std::string name;
    std::string workload; // which of several; empty where there is one
    std::string unit;
    Better better = Better::none;
    SideSummary base, other;
    Comparison comparison;
    std::optional<double> mean_change_percent;
    std::optional<AaFloor> floor;
    double p_holm = 1; // corrected over all rows that have a better direction

    // Half of the interval: a change of less would not have been seen.
    [[nodiscard]] std::optional<double> resolution_percent() const;
    // No further from 0 than runs of one configuration were (floor given).
    [[nodiscard]] bool within_floor() const;
    // Worse in the metric's own direction, shown, and beyond a given floor.
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

    // One is shown to be worse, all rows with a better direction taken together
    // (Holm, 5 % in all); with `metric`, the rows of that metric alone.
    [[nodiscard]] bool regression(const std::string& metric = "") const;
    [[nodiscard]] bool has_metric(const std::string& metric) const;
};

// Several workloads (load, clients, -C) on both sides are compared each for
// itself when both sides hold the same ones.
//
// Paired when every measurement has a pairing of the same series and each
// round stands exactly once on either side; else unpaired.
//
// Fails where a comparison would be wrong: workloads that are not valid,
// reconnect against persistent connections, different numbers of clients, a
// run given twice on one side, nothing in common.
//
// `floor`: further runs of base's configuration (A/A), under the same rules.
[[nodiscard]] Result<Diff> diff(const std::vector<Measurement>& base, const std::vector<Measurement>& other,
                                const std::vector<Measurement>& floor = {});

// Of `group` the runs of the workload that MetricDiff::workload names so, `base`
// being the side that the names come from; all of them for "".
[[nodiscard]] std::vector<Measurement> of_workload(const std::vector<Measurement>& group, const std::string& name,
                                                   const std::vector<Measurement>& base);

[[nodiscard]] nlohmann::json to_json(const Diff& diff);

} // namespace snapscope
