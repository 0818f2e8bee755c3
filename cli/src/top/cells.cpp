#include "cells.hpp"

#include "../escape.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace snapscope::cli {
namespace {

constexpr std::size_t name_columns = 26;
constexpr std::size_t value_columns = 16;

bool continues(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

} // namespace

std::string brief(double value) {
    constexpr double whole_from = 100;
    if (value >= whole_from || (value >= 0 && value == std::floor(value)))
        return grouped(static_cast<std::uint64_t>(std::llround(value)));
    return number(value, 3);
}

Line row(const std::string& name, const std::string& value, const std::string& note, Tone tone) {
    const auto pad = [](const std::string& text, std::size_t width) {
        const std::size_t have = display_width(text);
        return have < width ? std::string(width - have, ' ') : " ";
    };
    return {{name + pad(name, name_columns)}, {value + pad(value, value_columns), tone}, {note, Tone::faint}};
}

std::string sparkline(const std::deque<std::optional<double>>& history, std::size_t columns, bool unicode) {
    constexpr std::array<const char*, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    constexpr std::array<const char*, 8> ascii{"_", ".", "-", "~", "=", "+", "*", "#"};
    const std::size_t first = history.size() > columns ? history.size() - columns : 0;
    double most = 0;
    for (std::size_t i = first; i < history.size(); ++i)
        most = std::max(most, history[i].value_or(0));
    std::string out;
    for (std::size_t i = first; i < history.size(); ++i) {
        if (!history[i]) {
            out += ' ';
            continue;
        }
        const double height = most > 0 ? *history[i] / most * 7 : 0;
        out += (unicode ? blocks : ascii).at(static_cast<std::size_t>(std::clamp(std::round(height), 0.0, 7.0)));
    }
    return out;
}

Line cut(const Line& line, std::size_t columns) {
    Line out;
    for (Span span : line) {
        if (columns == 0)
            break;
        std::size_t bytes = 0;
        std::size_t width = 0;
        while (bytes < span.text.size() && width < columns) {
            ++bytes;
            while (bytes < span.text.size() && continues(span.text[bytes]))
                ++bytes;
            ++width;
        }
        span.text.resize(bytes);
        columns -= width;
        if (!span.text.empty())
            out.push_back(std::move(span));
    }
    return out;
}

Line in_ascii(Line line) {
    for (Span& span : line) {
        std::erase_if(span.text, continues);
        std::ranges::replace_if(
            span.text, [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; }, '?');
    }
    return line;
}

} // namespace snapscope::cli
