// A table as perf prints it: header lines that begin with '#', of which the
// last is a rule of dots that shows how wide each column is; then rows.
//
// A row's words are told apart by two blanks or more, and belong to the column
// that they stand under.  Where one stands under two (it outgrew its column),
// there must be as many words as columns, in order; else the row is refused.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

// A part of a row, and where it begins.
struct RuledWord {
    std::size_t from = 0;
    std::string_view text;
};

class RuledTable {
  public:
    // The header's lines with their '#', the rule last.  Names are the group
    // ("LLC Load Hitm") and the name ("Rmt") in lower case, joined by '/'; both
    // may be empty.
    explicit RuledTable(const std::vector<std::string>& header);

    [[nodiscard]] const std::vector<std::string>& columns() const { return names_; }
    // Whether the line is a rule: '#', then dots and blanks.
    [[nodiscard]] static bool is_rule(std::string_view line);
    // One cell a column, blank ones empty; nullopt: the row does not fit.
    [[nodiscard]] std::optional<std::vector<std::string>> cells(std::string_view row) const;

  private:
    struct Span {
        std::size_t from = 0, to = 0; // [from, to)
    };
    [[nodiscard]] std::optional<std::vector<std::string>> by_place(std::string_view row,
                                                                   const std::vector<RuledWord>& words) const;
    [[nodiscard]] std::optional<std::vector<std::string>> by_order(std::string_view row,
                                                                   const std::vector<RuledWord>& words) const;
    std::vector<Span> spans_;
    std::vector<std::string> names_;
};

} // namespace snapscope
