// How long snapshots took: the histogram by outcome.
#pragma once

#include "page.hpp"

#include <snapscope/recording/run.hpp>

namespace snapscope {

void write_durations(Page& page, const Run& run, const std::string& id);

} // namespace snapscope
