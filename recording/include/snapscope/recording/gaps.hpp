// What gaps leave of a run: the time in which it was watched.
#pragma once

#include <snapscope/recording/run.hpp>

namespace snapscope {

// From the beginning of RUN to its end, without its gaps; ns.
[[nodiscard]] inline double watched_ns(const Run& run) {
    const auto between = [](std::int64_t from, std::int64_t to) {
        return static_cast<double>(to) - static_cast<double>(from); // of a file that says anything
    };
    double watched = between(run.clock.start_ns, run.clock.end_ns);
    for (const Gap& gap : run.gaps)
        watched -= between(gap.begin_ns, gap.end_ns);
    return watched;
}

} // namespace snapscope
