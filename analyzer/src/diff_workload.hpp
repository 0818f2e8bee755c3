// The comparison of one workload, and its words.
#pragma once

#include <snapscope/analyzer/diff.hpp>

#include <string>
#include <vector>

namespace snapscope {

// One workload's runs; `name` is empty where it is the only one.  Fails as diff() does.
[[nodiscard]] Result<Diff> diff_workload(const std::string& name, const std::vector<Measurement>& base,
                                         const std::vector<Measurement>& other, const std::vector<Measurement>& floor);

// Which test, and on what: log ratios, or differences where a value is not above 0.
[[nodiscard]] std::string test_words(bool paired, const std::vector<MetricDiff>& metrics);
// What too few runs miss: one warning for all metrics that miss the same.
void warn_missing(const std::vector<MetricDiff>& metrics, std::vector<std::string>& out);
// What a floor says against the verdicts.
void warn_floor(const std::vector<MetricDiff>& metrics, std::vector<std::string>& out);

} // namespace snapscope
