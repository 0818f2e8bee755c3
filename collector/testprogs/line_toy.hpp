// A toy of what the line timer looks at: a writer on one CPU dirties a known
// number of an array's lines, as backends do between two snapshots, and a reader
// on another times one load before each of its scans.  Used by the benchmark
// `linetimer` and by tests.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/core_latency.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

namespace snapscope::toy {

struct LineToyPlan {
    std::size_t lines = 188;   // PGXACT of 1000 connections
    std::size_t dirtied = 0;   // of them, other ones each time
    std::uint32_t loads = 500; // a round
    bool spaced = true;        // 0.2 to 1 us between writes; else in a burst
    std::chrono::milliseconds at_most{10000};
};

// The loads of a round by what is known of their lines.
struct LineToyRound {
    std::uint64_t dirty_loads = 0, dirty_slow = 0;
    std::uint64_t clean_loads = 0, clean_slow = 0;
    [[nodiscard]] std::uint64_t loads() const { return dirty_loads + clean_loads; }
    [[nodiscard]] std::uint64_t slow() const { return dirty_slow + clean_slow; }
};

// Two CPUs that this process may use, on different cores where there are such;
// class unavailable with one CPU.
[[nodiscard]] Result<std::pair<std::uint32_t, std::uint32_t>> two_cpus();

// The threshold between those two, for the toy.
[[nodiscard]] Result<LoadThreshold> toy_threshold(std::uint32_t reader, std::uint32_t writer);

[[nodiscard]] Result<LineToyRound> run_line_toy(std::uint32_t reader, std::uint32_t writer, const LineToyPlan& plan,
                                                const LoadThreshold& threshold, std::uint64_t seed);

} // namespace snapscope::toy
