// What was added between two looks of a session: live views show the last
// interval, or the last minute, out of histograms and slots that only ever grow.
// Pure.
#pragma once

#include <snapscope/recording/run.hpp>

namespace snapscope {

// Histograms and slots of NOW, each count without what BEFORE had, which is an
// earlier look of the same session, or empty.  Extremes of histograms are
// absent, since they are of the whole time; a slot's owner and ages are NOW's.
[[nodiscard]] Run look_since(const Run& before, const Run& now);

} // namespace snapscope
