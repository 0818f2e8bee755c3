// What probes leave, or do not leave, in a process: looked at from outside, in
// its memory, with no word about which probes there were.
#pragma once

#include <snapscope/base/result.hpp>

#include <cstddef>
#include <sys/types.h>

namespace snapscope::test {

struct Remains {
    std::size_t altered_bytes = 0; // of code, against the file that it was mapped from
    int raised = 0;                // semaphores of USDT probes, summed

    [[nodiscard]] bool none() const { return altered_bytes == 0 && raised == 0; }
};

// Of the executable of PID.
[[nodiscard]] Result<Remains> remains_in(pid_t pid);

// Whether all four debug registers can be had on every CPU.
[[nodiscard]] Status debug_registers_are_free();

} // namespace snapscope::test
