// A layout in words and as a table.
#pragma once

#include "output.hpp"

#include <snapscope/analyzer/layout.hpp>

namespace snapscope::cli {

[[nodiscard]] Table layout_table(const LayoutReport& report);
[[nodiscard]] std::string layout_text(const LayoutReport& report, const Terminal& terminal);

} // namespace snapscope::cli
