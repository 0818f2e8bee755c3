// Heat maps: who got cache lines from whom, and on which line.
#pragma once

#include "page.hpp"

#include <snapscope/recording/run.hpp>

namespace snapscope {

void write_matrices(Page& page, const Run& run, const std::string& id);

} // namespace snapscope
