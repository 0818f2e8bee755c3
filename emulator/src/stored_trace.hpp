// Traces recorded by `snapscope emulate` on a 2x2 with 4 clients (emulator/README.md).
#pragma once

#include <snapscope/emulator/phase_recorder.hpp>

#include <gtest/gtest.h>
#include <string>

namespace snapscope::emulator {

inline RecordedPhase stored_phase(const std::string& mode) {
    RecordedPhase phase;
    auto trace =
        read_access_trace(std::filesystem::path(SNAPSCOPE_SOURCE_DIR) / "emulator" / "fixtures" / (mode + ".accesses"));
    EXPECT_TRUE(trace) << trace.error().message();
    if (!trace)
        return phase;
    phase.trace = std::move(*trace);
    for (std::uint64_t i = phase.trace.window_begin; i < phase.trace.window_end; ++i) {
        const TracedAccess& access = phase.trace.accesses[i];
        phase.snapshots += access.kind == TracedKind::mark && access.target == 0 ? 1U : 0U;
    }
    return phase;
}

} // namespace snapscope::emulator
