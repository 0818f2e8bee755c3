// What this host could give to sources: each function tries it and says no
// with a reason and a hint.
#pragma once

#include <snapscope/base/result.hpp>

namespace snapscope {

// A counter of the processor's performance monitoring unit, for this process.
[[nodiscard]] Status probe_hardware_events();
// A hardware data watchpoint, set on this process and never enabled.
[[nodiscard]] Status probe_watchpoint();
// A time stamp counter that can time a single load.
[[nodiscard]] Status probe_load_timing();
// Class failed for fewer than two CPUs: a line needs two to travel between.
[[nodiscard]] Status check_two_cpus(std::size_t allowed);

} // namespace snapscope
