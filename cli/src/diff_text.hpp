// A comparison for people: the verdicts first.
#pragma once

#include "output.hpp"

#include <snapscope/analyzer/diff.hpp>

#include <string>

namespace snapscope::cli {

[[nodiscard]] std::string diff_text(const Diff& diff, const Terminal& terminal);
// One row a metric; what does not exist is an empty cell.
[[nodiscard]] Table diff_table(const Diff& diff);

} // namespace snapscope::cli
