// From the model's counts to what is said about them.
#pragma once

#include "access_programs.hpp"
#include "event_fold.hpp"

#include <snapscope/analyzer/simulate.hpp>

namespace snapscope {

struct SimulationParts {
    const Run& run;
    const ProcArrays& arrays;
    const LineSpace& lines;
    const SimulateOptions& options;
    const CoherenceCounts& counts;
    const FoldCounts& folded;
    const ScanLines& scan_lines;
    std::size_t entries = 0;
    std::uint64_t without_residency = 0;
    std::uint64_t hurried = 0; // pieces that could not wait for their turn
};

// By structure and by line, of COUNTS over SPACE.
void put_structures(const LineSpace& space, const CoherenceCounts& counts, SimulationResult& out);

[[nodiscard]] SimulationResult report_simulation(const SimulationParts& parts);

} // namespace snapscope
