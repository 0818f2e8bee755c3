// Text that came from a database, a run or a file, made safe to show.
#pragma once

#include <string>
#include <string_view>

namespace snapscope::cli {

// Well-formed UTF-8 without anything that can steer a terminal or reorder a
// line: control characters (C0, DEL, C1), line and paragraph separators and
// bidirectional controls become \n, \t, \xNN or \u{NNNN}; a byte that is no
// UTF-8 becomes \xNN.  The result is one line.
[[nodiscard]] std::string escape_terminal(std::string_view text);

// One cell of a CSV row (RFC 4180), control characters escaped as above.
[[nodiscard]] std::string escape_csv(std::string_view text);

// One cell of a Markdown table.
[[nodiscard]] std::string escape_markdown(std::string_view text);

// Columns that `text` (UTF-8) takes: one a code point.
[[nodiscard]] std::size_t display_width(std::string_view text);

} // namespace snapscope::cli
