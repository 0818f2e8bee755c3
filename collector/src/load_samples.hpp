// Single loads on one core of lines that another core left in a known state.
// Used by calibrate.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/core_latency.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

namespace snapscope {

// Cycles of each load (timed_load.hpp), by LineState; in the order of reading.
using LoadSamples = std::array<std::vector<std::uint32_t>, line_state_count>;

struct LoadPlan {
    std::uint32_t batches = 64; // of 64 lines, a state
    std::chrono::milliseconds at_most{2000};
};

// The reader's loads come one at a time, a page apart from each other and in a
// random order, so that no prefetcher brings the next one along; each page was
// touched elsewhere just before, so that no load waits for a translation.
// What time did not allow is missing.
[[nodiscard]] Result<LoadSamples> time_loads(std::uint32_t reader, std::uint32_t owner, const LoadPlan& plan);

} // namespace snapscope
