// Measures what this host takes to move a cache line between its cores, and
// what a single load tells about a line.  Used by the verb `calibrate`.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/core_latency.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>

namespace snapscope {

struct CalibrateOptions {
    std::size_t most_pairs = 2016; // all of 64 CPUs; a sample on larger machines
    std::string tool_version;
};

// Done and planned steps.
using CalibrateProgress = std::function<void(std::size_t done, std::size_t planned)>;

// Takes some 50 ms a pair, two CPUs at a time, and only CPUs that this process
// may use.  Fails for one CPU (a line needs two to travel between), for a
// processor without a counter that can time a load, and when STOP becomes true.
[[nodiscard]] Result<CoreLatencies> calibrate(const CalibrateOptions& options, const std::atomic<bool>& stop,
                                              const CalibrateProgress& progress);

} // namespace snapscope
