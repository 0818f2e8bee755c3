// A run's summary for people (text) and for spreadsheets (a table of names and
// values).
#pragma once

#include "output.hpp"

#include <snapscope/analyzer/summary.hpp>

#include <string>

namespace snapscope::cli {

// The finding first, then the figures with their source, then what to doubt.
[[nodiscard]] std::string show_text(const Summary& summary, const Terminal& terminal);

// Columns name, value, unit, source; a value that nobody could tell is empty.
[[nodiscard]] Table show_table(const Summary& summary);

} // namespace snapscope::cli
