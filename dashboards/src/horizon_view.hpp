// The horizon: how far behind the oldest snapshot keeps it, and who that is.
#pragma once

#include "chart.hpp"

namespace snapscope {

void write_horizon(Page& page, Charts& charts, const Run& run, const std::string& id);

} // namespace snapscope
