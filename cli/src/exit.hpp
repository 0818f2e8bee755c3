// What the process says when it ends.  Used by main and by every verb.
#pragma once

#include <snapscope/base/result.hpp>

namespace snapscope::cli {

inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_partial = 3;       // a source was missing, records were lost, or a run is unfinished
inline constexpr int exit_regression = 4;    // diff --fail-on-regression found one
inline constexpr int exit_interrupted = 130; // after a second Ctrl-C

// The exit code that belongs to a class of failure.
[[nodiscard]] constexpr int exit_code(ErrorClass error_class) {
    switch (error_class) {
    case ErrorClass::usage:
        return exit_usage;
    case ErrorClass::unavailable:
        return exit_partial;
    case ErrorClass::failed:
        break;
    }
    return exit_failed;
}

// Prints "snapscope: what; hint" as one line on stderr, control characters
// escaped; returns the exit code.
[[nodiscard]] int report(const Error& error);

} // namespace snapscope::cli
