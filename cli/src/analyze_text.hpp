// A sweep's analysis for people: the finding first, what is not shown last.
#pragma once

#include "output.hpp"

#include <snapscope/analyzer/analysis.hpp>

#include <string>

namespace snapscope::cli {

[[nodiscard]] std::string analyze_text(const Analysis& analysis, const Terminal& terminal);
// One row a point; what does not exist is an empty cell.
[[nodiscard]] Table analyze_table(const Analysis& analysis);
// The table of points with the finding above and what is not shown below.
[[nodiscard]] std::string analyze_markdown(const Analysis& analysis);

} // namespace snapscope::cli
