// Windows one after the other, and what they come to: for runs that have no end
// yet (a journal, a live view).
#pragma once

#include <snapscope/recording/run_folder.hpp>

namespace snapscope {

// ROW has a value for each of the series.
void append_row(Windows& windows, const WindowRow& row);

// The totals that the windows alone give, beside those that RUN has: a total is
// the sum of its series' differences (docs/contracts.md), the most of an age,
// and nothing for other gauges.  A source that told nothing stays absent.
void add_totals_of_windows(Run& run);

} // namespace snapscope
