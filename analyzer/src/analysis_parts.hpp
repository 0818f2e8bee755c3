// The parts of an analysis, each a function of the curves.
#pragma once

#include <snapscope/analyzer/analysis.hpp>

#include <string>
#include <vector>

namespace snapscope {

[[nodiscard]] std::vector<Association> associations_of(const Sweep& sweep, const std::vector<CurveAnalysis>& curves);
[[nodiscard]] std::vector<MetricTrend> trends_of(const Sweep& sweep, const std::vector<CurveAnalysis>& curves);
[[nodiscard]] std::vector<CurveComparison> compare_curves(const std::vector<CurveAnalysis>& curves);
[[nodiscard]] std::vector<NaturalExperiment> natural_experiments(const std::vector<CurveAnalysis>& curves);

// Words: the finding, what is not shown, and what is odd.
[[nodiscard]] std::string finding_of(const Analysis& analysis);
[[nodiscard]] std::vector<std::string> not_shown_of(const Sweep& sweep, const Analysis& analysis);
[[nodiscard]] std::vector<std::string> oddities_of(const Sweep& sweep, const Analysis& analysis);

// "200-250", or "200" for one point.
[[nodiscard]] std::string span_text(const Region& region);
// A number as people write it: 648398, 0.52, 1.91.
[[nodiscard]] std::string plain(double value);

} // namespace snapscope
