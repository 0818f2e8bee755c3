// A run with something in every field, for the tests of this folder and for the
// schema's.
#pragma once

#include <snapscope/recording/run.hpp>

namespace snapscope {

// Every optional is filled; two windows.
[[nodiscard]] Run full_sample_run();

// Only what a run must have: every optional is empty.
[[nodiscard]] Run bare_sample_run();

} // namespace snapscope
