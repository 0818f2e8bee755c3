// What the coherence model says, in words and as a table.
#pragma once

#include "output.hpp"

#include <snapscope/analyzer/simulate.hpp>

namespace snapscope::cli {

// A row a structure, one a purpose and a total; numbers a snapshot.
[[nodiscard]] Table simulate_table(const SimulationResult& result);
[[nodiscard]] std::string simulate_text(const SimulationResult& result, const Terminal& terminal);

// By what factor transfers a snapshot differ between two models of one load.
[[nodiscard]] std::string simulate_factor(const SimulationResult& base, const SimulationResult& other);

} // namespace snapscope::cli
