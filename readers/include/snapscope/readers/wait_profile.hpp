// A profile of wait events: how many sessions waited for what on average
// (sampled pg_stat_activity, pg_wait_sampling, or a chart's table).  Used by
// `import waits`.
//
// Of it, what waits for the proc array: LWLock:ProcArray (ProcArrayLock up to 12)
// and IPC:ProcArrayGroupUpdate (LWLock:procarray as a tranche up to 12).
// XactSLRU, XidGen and their like are other locks and are never added to it.
#pragma once

#include <snapscope/base/result.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

struct WaitEvent {
    std::string type, event;
    double sessions = 0; // average active sessions
};

struct WaitProfile {
    std::vector<WaitEvent> events; // most first
    std::vector<std::string> notes;
    std::size_t rows_lost = 0; // a sum over them is none

    [[nodiscard]] double sessions() const;
    [[nodiscard]] double of_proc_array() const;
    // "XactSLRU 6.82" and the like: locks that more sessions wait for.
    [[nodiscard]] std::vector<WaitEvent> larger_locks() const;
};

// A table with the columns wait_event_type, wait_event and aas (or count).
[[nodiscard]] Result<WaitProfile> read_wait_profile(std::string_view text, const std::string& label);

} // namespace snapscope
