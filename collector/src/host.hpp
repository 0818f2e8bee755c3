// The machine that a run was recorded on.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/run.hpp>

namespace snapscope {

// hwloc's view of every CPU, also those that this process may not use.
[[nodiscard]] Result<Host> describe_host();

} // namespace snapscope
