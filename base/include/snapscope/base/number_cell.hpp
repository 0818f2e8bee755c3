// What a cell that should hold a number holds.  Used by every reader of tables
// that other programs and people wrote: whatever is no number stays none.
#pragma once

#include <string_view>

namespace snapscope {

enum class CellKind {
    number,
    blank,     // nothing
    no_number, // words for "none": nan, inf, n/a, null, -
    localised, // digits with grouping or a decimal comma: 1.092.043 or 1092,5
    word,      // anything else
};

struct NumberCell {
    CellKind kind = CellKind::blank;
    double value = 0; // of a number

    [[nodiscard]] bool is_number() const { return kind == CellKind::number; }
};

[[nodiscard]] NumberCell read_number(std::string_view cell);

} // namespace snapscope
