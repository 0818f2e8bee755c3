// Which pairs of CPUs a calibration measures.  Pure.
#pragma once

#include <snapscope/recording/core_latency.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace snapscope {

using CpuPair = std::pair<Cpu, Cpu>; // first.cpu < second.cpu

// All pairs where there are at most MOST; else MOST of them, spread over the
// borders as evenly as these have pairs, chosen at random (with a fixed seed:
// the same machine has the same sample).  In order.
[[nodiscard]] std::vector<CpuPair> plan_pairs(const std::vector<Cpu>& cpus, std::size_t most);

// Up to MOST pairs of each border, for what is measured on few.
[[nodiscard]] std::vector<CpuPair> some_of_each_border(const std::vector<CpuPair>& pairs, std::size_t most);

} // namespace snapscope
