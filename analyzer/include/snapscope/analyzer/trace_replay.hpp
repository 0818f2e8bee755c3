// The coherence model on a trace of accesses: what an emulated machine recorded
// (recording/access_trace.hpp), under any protocol and prefetcher.
#pragma once

#include <snapscope/analyzer/simulate.hpp>
#include <snapscope/recording/access_trace.hpp>

namespace snapscope {

// Accesses are those of the trace's window; what came before only warms the
// caches.  CPUs are the trace's own: a topology with fewer is refused, and so is
// whatever else would change what the server did.
[[nodiscard]] Result<SimulationResult> replay_trace(const Run& run, const AccessTrace& trace,
                                                    const SimulateOptions& options);

} // namespace snapscope
