// The columns that the mirror gives to a run's windows (docs/contracts.md).
#pragma once

#include "tally.hpp"

#include <snapscope/collector/source.hpp>

#include <span>

namespace snapscope::mirror {

// One column: its value in a window that was observed from end to end.
struct Column {
    const char* name;
    const char* unit;
    Value (*value)(const WindowTally& window, const Counters& added, double seconds);
};
[[nodiscard]] std::span<const Column> columns();

// NOW - BEFORE; in 13 latestCompletedXid has 32 bits.
[[nodiscard]] Counters difference(const Counters& now, const Counters& before, bool short_xids);

} // namespace snapscope::mirror
