#include <snapscope/base/text.hpp>

#include <cmath>
#include <cstddef>
#include <fmt/format.h>

namespace snapscope {
namespace {

struct LeadByte {
    std::size_t length;           // of the whole sequence, 0: cannot lead
    unsigned char second_min = 0; // what the second byte may be; this rules out
    unsigned char second_max = 0; // overlong forms, surrogates and > U+10FFFF
};

// Table 3-7 of the Unicode standard.
LeadByte lead_byte(unsigned char byte) {
    if (byte < 0x80)
        return {1};
    if (byte < 0xc2)
        return {0};
    if (byte < 0xe0)
        return {2, 0x80, 0xbf};
    if (byte == 0xe0)
        return {3, 0xa0, 0xbf};
    if (byte == 0xed)
        return {3, 0x80, 0x9f};
    if (byte < 0xf0)
        return {3, 0x80, 0xbf};
    if (byte == 0xf0)
        return {4, 0x90, 0xbf};
    if (byte < 0xf4)
        return {4, 0x80, 0xbf};
    if (byte == 0xf4)
        return {4, 0x80, 0x8f};
    return {0};
}

// Length of the well-formed sequence at the start of `text`, or 0.
std::size_t sequence_length(std::string_view text) {
    const auto at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const LeadByte lead = lead_byte(at(0));
    if (lead.length <= 1)
        return lead.length;
    if (text.size() < lead.length || at(1) < lead.second_min || at(1) > lead.second_max)
        return 0;
    for (std::size_t i = 2; i < lead.length; ++i)
        if (at(i) < 0x80 || at(i) > 0xbf)
            return 0;
    return lead.length;
}

bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

} // namespace

std::optional<double> parse_double(std::string_view text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back()))
        text.remove_suffix(1);
    return text;
}

std::string to_utf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        if (length == 0)
            out += "\xef\xbf\xbd";
        else
            out += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return parts;
        text.remove_prefix(end + 1);
    }
}

std::string json_quote(std::string_view text) {
    std::string out = "\"";
    for (const char c : to_utf8(text)) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        } else {
            out += c;
        }
    }
    out += '"';
    return out;
}

} // namespace snapscope
