#include <snapscope/base/number_cell.hpp>
#include <snapscope/base/text.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace snapscope {

NumberCell read_number(std::string_view cell) {
    cell = trim(cell);
    if (cell.empty())
        return {CellKind::blank, 0};
    if (const auto value = parse_double(cell))
        return {CellKind::number, *value};
    std::string lower(cell);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::array<std::string_view, 12> none{"nan", "-nan", "inf",  "-inf", "+inf", "infinity",
                                                    "n/a", "na",   "null", "none", "-",    "--"};
    if (std::find(none.begin(), none.end(), lower) != none.end())
        return {CellKind::no_number, 0};
    // Digits, signs and what locales put between digits: blanks (also U+00A0
    // and U+202F, whose bytes are above 127), commas, points, apostrophes.
    const bool digits = std::any_of(lower.begin(), lower.end(), [](char c) { return c >= '0' && c <= '9'; });
    const bool plain = std::all_of(lower.begin(), lower.end(), [](char c) {
        return (c >= '0' && c <= '9') || std::string_view("+-., '_%").find(c) != std::string_view::npos ||
               static_cast<unsigned char>(c) > 127;
    });
    return {digits && plain ? CellKind::localised : CellKind::word, 0};
}

} // namespace snapscope
