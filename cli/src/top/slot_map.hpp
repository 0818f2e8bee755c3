// The slots of the proc array as a map: a cell a slot, its shade how active it
// is, a group of lines a socket.  Pure.
#pragma once

#include "model.hpp"
#include "screen.hpp"

namespace snapscope::cli {

// Shades are shares of the busiest slot: snapshots a second where a source
// counts them, else CPU time.  Nothing where no slot is known.
[[nodiscard]] std::vector<Line> slot_map(const std::vector<TopSlot>& slots, std::size_t sockets, std::size_t columns,
                                         bool unicode);

} // namespace snapscope::cli
