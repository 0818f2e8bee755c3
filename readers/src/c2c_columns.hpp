// perf c2c's columns in our names (c2c.hpp), in the wordings of perf 4.10 to 6.
#pragma once

#include <string>

namespace snapscope {

// `column` is "group/name" as RuledTable tells it; empty for what is not taken.
[[nodiscard]] std::string c2c_line_column(const std::string& column);   // of the table of lines
[[nodiscard]] std::string c2c_access_column(const std::string& column); // of the accesses of a line

} // namespace snapscope
