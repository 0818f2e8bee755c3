// Time series of a run: what happened a second, over time.
#pragma once

#include "chart.hpp"

#include <snapscope/recording/run.hpp>

#include <string>
#include <vector>

namespace snapscope {

// Every series of the run in some panel, but those of the horizon: the known
// ones by what they say, the others each in a small one of its own.  A series
// without any value is left out: its source says why.
[[nodiscard]] std::vector<Panel> panels_of(const Run& run);

// Of the horizon: how old it is, and which slot holds it back.
[[nodiscard]] bool is_of_horizon(const Series& series);

void write_series(Page& page, Charts& charts, const Run& run, const std::string& id);

} // namespace snapscope
