#include "escape.hpp"

#include <cstdint>
#include <fmt/format.h>

namespace snapscope::cli {
namespace {

struct CodePoint {
    std::uint32_t value = 0;
    std::size_t bytes = 0; // 0: no UTF-8 here
};

CodePoint decode(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const std::uint32_t lead = byte(0);
    if (lead < 0x80)
        return {lead, 1};
    const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes)
        return {};
    std::uint32_t value = lead & (0x7FU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xC0U) != 0x80)
            return {};
        value = value << 6U | (byte(i) & 0x3FU);
    }
    const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
    const bool surrogate = value >= 0xD800 && value < 0xE000;
    if (overlong || surrogate || value > 0x10FFFF)
        return {};
    return {value, bytes};
}

bool steers(std::uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

} // namespace

std::string escape_terminal(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const CodePoint point = decode(text);
        if (point.bytes == 0) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(text.front())));
            text.remove_prefix(1);
            continue;
        }
        if (point.value == '\n')
            out += "\\n";
        else if (point.value == '\t')
            out += "\\t";
        else if (steers(point.value))
            out +=
                point.value < 0x80 ? fmt::format("\\x{:02x}", point.value) : fmt::format("\\u{{{:04x}}}", point.value);
        else
            out += text.substr(0, point.bytes);
        text.remove_prefix(point.bytes);
    }
    return out;
}

std::string escape_csv(std::string_view text) {
    std::string safe = escape_terminal(text);
    if (safe.find_first_of("\",") == std::string::npos)
        return safe;
    std::string out = "\"";
    for (const char c : safe) {
        if (c == '"')
            out += '"';
        out += c;
    }
    return out + '"';
}

std::string escape_markdown(std::string_view text) {
    std::string out;
    for (const char c : escape_terminal(text)) {
        if (c == '<')
            out += "&lt;";
        else if (c == '&')
            out += "&amp;";
        else {
            if (std::string_view("\\|`*_[]").find(c) != std::string_view::npos)
                out += '\\';
            out += c;
        }
    }
    return out;
}

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    for (const char c : text)
        width += (static_cast<unsigned char>(c) & 0xC0U) != 0x80 ? 1 : 0;
    return width;
}

} // namespace snapscope::cli
