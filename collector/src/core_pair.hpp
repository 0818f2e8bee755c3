// Two pinned threads and a line between them: how long it takes from one core
// to the other, and how the two cores' counters differ.  Used by calibrate.
#pragma once

#include <snapscope/base/result.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

namespace snapscope {

struct BouncePlan {
    std::uint32_t rounds = 200;
    std::uint32_t bounces = 200;             // there and back, a round
    std::chrono::milliseconds at_most{2000}; // on busy CPUs: what is missing then is lost
};

struct Bounces {
    std::vector<double> one_way_cycles; // a round's time over its one-way trips
    // The least that stamps of the two counters differ by along a trip, there
    // (b's reading minus a's) and back (a's minus b's): their halved difference
    // is the counters' offset, their halved sum bounds its error.
    std::int64_t least_there_cycles = 0, least_back_cycles = 0;
    std::uint64_t rounds_lost = 0;

    [[nodiscard]] double offset_cycles() const {
        return static_cast<double>(least_there_cycles - least_back_cycles) / 2;
    }
    [[nodiscard]] double offset_bound_cycles() const {
        return static_cast<double>(least_there_cycles + least_back_cycles) / 2;
    }
};

// By compare-and-exchange, so the line is owned by each core in turn.  CPUs that
// this process may not use: class failed.  No round at all within the limit: an
// empty one_way_cycles.
[[nodiscard]] Result<Bounces> bounce_line(std::uint32_t cpu_a, std::uint32_t cpu_b, const BouncePlan& plan);

} // namespace snapscope
