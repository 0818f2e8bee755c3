// The screen of `top`: a pure function from a state to lines of cells.  What
// draws them is terminal.hpp, or plain text for --once.
#pragma once

#include "../output.hpp"
#include "model.hpp"

#include <string>
#include <vector>

namespace snapscope::cli {

// Text of one look; well-formed UTF-8 without control characters.
struct Span {
    std::string text;
    Tone tone = Tone::plain;
    bool operator==(const Span&) const = default;
};
using Line = std::vector<Span>;

struct ScreenOptions {
    std::size_t columns = 80, rows = 24;
    std::size_t scroll = 0; // lines of the middle part that are above
    double interval_s = 1;  // that is asked for
    bool paused = false;
    bool unicode = true; // else ASCII only
    bool keys = true;    // the line of keys at the bottom
};

// Exactly `rows` lines of at most `columns` columns.  The middle part scrolls;
// `scroll` beyond its end is its end.
[[nodiscard]] std::vector<Line> top_screen(const TopState& state, const ScreenOptions& options);

// All lines, as many as they are, and as wide; without keys.
[[nodiscard]] std::vector<Line> top_lines(const TopState& state, const ScreenOptions& options);

// How far the middle part can scroll.
[[nodiscard]] std::size_t most_scroll(const TopState& state, const ScreenOptions& options);

} // namespace snapscope::cli
