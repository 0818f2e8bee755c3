// Sections of a run that are tables with a bar a row: invalidations by reason,
// the sources with their losses, and what the run says of itself.
#pragma once

#include "page.hpp"

#include <snapscope/analyzer/summary.hpp>

namespace snapscope {

void write_invalidations(Page& page, const Run& run, const Summary& summary, const std::string& id);
void write_sources(Page& page, const Run& run, const std::string& id);
void write_about(Page& page, const Run& run, const std::string& id);

} // namespace snapscope
