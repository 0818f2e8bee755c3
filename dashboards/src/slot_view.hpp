// The slot map: each entry of the array that snapshots scan as a cell on its
// cache line, with what its backend did and where it ran.
#pragma once

#include "page.hpp"

#include <snapscope/recording/run.hpp>

namespace snapscope {

// The array that a slot's number has a place in: PGXACT up to 13.  From 14 on
// the arrays that snapshots scan are packed anew as backends come and go, so a
// slot has no line of its own there: null.
[[nodiscard]] const Array* slot_array(const Run& run);

// 64-byte lines that entry `slot` of the array touches, counted from the array's first: [first, last].
struct LineSpan {
    std::uint64_t first = 0, last = 0;
};
[[nodiscard]] LineSpan lines_of(const Array& array, std::uint32_t slot);

void write_slots(Page& page, const Run& run, const std::string& id);

} // namespace snapscope
