// Runs of hosts that never were, with what is odd about them planted.
#pragma once

#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <string>

namespace snapscope {

struct FleetShape {
    std::uint32_t hosts = 0, runs_a_host = 0;
    std::uint32_t windows = 60; // seconds of each run
    std::uint64_t seed = 1;
    std::uint32_t odd_every = 0;      // every so manieth host costs 1.6 times as much; 0: none
    std::uint32_t changing_every = 0; // every so manieth host costs 1.2 times as much from the middle on; 0: none
};

[[nodiscard]] std::string host_name(std::uint32_t host);
[[nodiscard]] bool is_odd(const FleetShape& shape, std::uint32_t host);
[[nodiscard]] bool is_changing(const FleetShape& shape, std::uint32_t host);

// One a night from 2026-01-01 on.  The same arguments give the same run.
[[nodiscard]] Run synthetic_run(const FleetShape& shape, std::uint32_t host, std::uint32_t night);

} // namespace snapscope
