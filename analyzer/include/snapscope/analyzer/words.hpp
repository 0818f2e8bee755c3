// Answers as sentences, so that the terminal and the reports say the same.
// What came from a database or a file stands in them as it came: whoever shows
// them escapes it.
#pragma once

#include <snapscope/analyzer/diff.hpp>
#include <snapscope/analyzer/summary.hpp>

#include <string>

namespace snapscope {

// The sentence that answers the question of one run.
[[nodiscard]] std::string finding(const Summary& summary);

// Which server, in which mode, for how long.
[[nodiscard]] std::string heading(const Summary& summary);

// "tps", or "tps of select-only" where there are several workloads.
[[nodiscard]] std::string label_of(const MetricDiff& metric);

// "tps: higher (better) by +4.10 %, 95 % interval ..., p = ..."
[[nodiscard]] std::string headline(const MetricDiff& metric);

// "+0.55", with more digits where two would round to nothing.
[[nodiscard]] std::string signed_number(double value);

// In percent, or in the metric's unit where there is no percent; empty where neither is known.
[[nodiscard]] std::string change_text(const Comparison& c, const std::string& unit);
[[nodiscard]] std::string interval_text(const Comparison& c, const std::string& unit);
[[nodiscard]] std::string p_value_text(const Comparison& c);

} // namespace snapscope
