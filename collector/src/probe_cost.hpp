// What one probe costs on this kernel, for the process that it traps: measured
// once on functions of this program, with the program that ships.
#pragma once

#include "elf_symbols.hpp"

namespace snapscope {

struct ProbeCost {
    double entry_ns = 0; // a probe at a function's first instruction
    double pair_ns = 0;  // the same, and one at its return
};

// Thread CPU time, median of several short loops (some 50 ms); measured at the
// first call for each kind and kept.  Needs BPF rights.
[[nodiscard]] Result<ProbeCost> probe_cost(FirstInstruction kind);

} // namespace snapscope
