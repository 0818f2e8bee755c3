// What a calibration found, in words.
#pragma once

#include "output.hpp"

#include <snapscope/recording/core_latency.hpp>

namespace snapscope::cli {

// The finding first; then borders, loads, and what a load can tell.
[[nodiscard]] std::string calibrate_text(const CoreLatencies& latencies, const Terminal& terminal);

// A row a pair, for --format csv and markdown.
[[nodiscard]] Table calibrate_table(const CoreLatencies& latencies);

} // namespace snapscope::cli
