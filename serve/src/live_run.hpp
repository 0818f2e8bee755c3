// Windows of the ring as runs, which is what every view reads.  Pure.
#pragma once

#include "live_ring.hpp"

#include <optional>

namespace snapscope {

using Place = WindowList::const_iterator;

// The oldest window that can be shown: what was counted in a window is known
// from the look before it, so the oldest one that is kept only starts the next.
[[nodiscard]] Place first_shown(const WindowList& windows);
// The window before one from first_shown() on; null where the session began.
[[nodiscard]] WindowPtr window_before(Place window);

// What a page shows of a moment.
struct Moment {
    Run figures;                 // of the last `span`
    Run series;                  // of all that is kept of the same session up to that moment
    std::uint64_t seq = 0;       // the moment's window
    std::uint64_t first_seq = 0; // of the series
};

// The moment at window SEQ (0: the newest).  Figures are of the windows that
// end less than `span_ns` before it ends, at least of one; 0: of all that is
// kept.  nullopt: that window is not kept.
[[nodiscard]] std::optional<Moment> moment_at(const WindowList& windows, std::uint64_t seq, std::int64_t span_ns);

// The windows, which are of one session, as a run; BEFORE is the one before
// them, null where the session began.
[[nodiscard]] Run run_of(const WindowList& windows, const WindowPtr& before);

// Puts what was counted after BEFORE up to LAST into RUN: histograms, slots, and
// what sources kept and lost.
void count_since(Run& run, const WindowPtr& before, const LiveWindow& last);

} // namespace snapscope
