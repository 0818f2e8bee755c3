// The values that a comparison was made of, metric by metric.
#pragma once

#include "evidence.hpp"

#include <snapscope/dashboards/report.hpp>

#include <string>
#include <utility>
#include <vector>

namespace snapscope {

struct SampleValue {
    std::string label; // of the run
    double value = 0;
};

struct Samples {
    std::vector<SampleValue> base, other;
    std::vector<std::pair<std::size_t, std::size_t>> pairs; // positions in base and other; empty: not paired
    std::vector<Evidence> evidence;                         // of the values, each source once
};

[[nodiscard]] Samples samples_of(const DiffReport& report, const MetricDiff& metric);

} // namespace snapscope
