// The first screen of a run: what it found, the key figures, what to beware of.
#pragma once

#include "page.hpp"

#include <snapscope/analyzer/summary.hpp>

namespace snapscope {

void write_verdict(Page& page, const Run& run, const Summary& summary);
void write_figures(Page& page, const Run& run, const Summary& summary);
void write_warnings(Page& page, const std::vector<std::string>& warnings);
// Runs below each other: one row each.
void write_overview(Page& page, const std::vector<std::pair<std::string, Summary>>& runs);

} // namespace snapscope
