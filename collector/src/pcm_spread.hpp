// Rows of pcm, laid over the windows of a recording.  Pure.
//
// pcm's rows end when pcm wakes, not when a window does, so a row's counts are
// shared out by time.  A window that is not covered by rows that hold a count is
// a gap, and never 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

struct PcmSpan {
    std::int64_t start_ns = 0, end_ns = 0; // CLOCK_MONOTONIC
    std::vector<std::optional<double>> values;
};

// SPANS in order, of one column each window [starts[i], ends[i]).  A UNIT that
// does not add up (ratio, ns) is averaged by time.
[[nodiscard]] std::vector<std::optional<double>> spread(const std::vector<PcmSpan>& spans, std::size_t column,
                                                        const std::string& unit,
                                                        const std::vector<std::int64_t>& starts,
                                                        const std::vector<std::int64_t>& ends);

} // namespace snapscope
