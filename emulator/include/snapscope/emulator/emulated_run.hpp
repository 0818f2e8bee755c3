// An emulated row as a run: run.json with the source `emulate`, and every access
// beside it (recording/access_trace.hpp).
#pragma once

#include <snapscope/emulator/row.hpp>
#include <snapscope/recording/run.hpp>

#include <filesystem>
#include <string>

namespace snapscope::emulator {

struct RunFacts {
    std::string tool_version;
    std::string packages;      // versions of QEMU and the kernel
    std::int64_t start_ns = 0; // CLOCK_MONOTONIC of this host
    std::int64_t took_ns = 0;
};

// Such a run lasts no time, so nobody can make a rate of it.
[[nodiscard]] Result<Run> emulated_run(const EmulatedRow& row, const Emulation& emulation, const Machine& machine,
                                       const RunFacts& facts);

// The run, and the accesses of the first repeat.
[[nodiscard]] Status write_emulated_run(const Run& run, const AccessTrace& trace, const std::filesystem::path& folder,
                                        bool force);

} // namespace snapscope::emulator
