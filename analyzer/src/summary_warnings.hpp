// What a reader of a run must know before believing its numbers.
#pragma once

#include <snapscope/analyzer/summary.hpp>

#include <string>
#include <vector>

namespace snapscope {

// One line each, the gravest first; the run's own warnings come last.
[[nodiscard]] std::vector<std::string> summary_warnings(const Run& run, const Summary& summary);

} // namespace snapscope
