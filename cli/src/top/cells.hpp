// Pieces of lines of the screen of `top`.  Pure; all text is escaped already.
#pragma once

#include "screen.hpp"

#include <deque>
#include <optional>
#include <string>

namespace snapscope::cli {

// "1 234 567", "12.5": what a reader takes in at a glance.
[[nodiscard]] std::string brief(double value);

// Three columns: a name, its value in TONE, a faint note.
[[nodiscard]] Line row(const std::string& name, const std::string& value, const std::string& note,
                       Tone tone = Tone::plain);

// The last COLUMNS values, scaled to the largest; one that is not known is a blank.
[[nodiscard]] std::string sparkline(const std::deque<std::optional<double>>& history, std::size_t columns,
                                    bool unicode);

// The line's first COLUMNS columns.
[[nodiscard]] Line cut(const Line& line, std::size_t columns);

// Every code point that is none of ASCII's as '?'.
[[nodiscard]] Line in_ascii(Line line);

} // namespace snapscope::cli
