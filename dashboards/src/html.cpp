#include "html.hpp"

#include <snapscope/base/text.hpp>

#include <fmt/format.h>

namespace snapscope {
namespace {

// One code point of well-formed UTF-8 at `at`, which moves behind it.
char32_t next_code_point(std::string_view text, std::size_t& at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t value = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i)
        value = value << 6U | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
    at += length;
    return value;
}

// Characters that say nothing and steer: C0, DEL, C1, line and paragraph
// separators, marks, embeddings, overrides and isolates of direction, the
// byte-order mark and characters that are none.
bool steers(char32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x61C || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF || (c & 0xFFFEU) == 0xFFFE;
}

} // namespace

std::string escape_html(std::string_view text) {
    const std::string valid = to_utf8(text);
    std::string out;
    out.reserve(valid.size());
    for (std::size_t at = 0; at < valid.size();) {
        const std::size_t start = at;
        const char32_t c = next_code_point(valid, at);
        switch (c) {
        case U'&':
            out += "&amp;";
            break;
        case U'<':
            out += "&lt;";
            break;
        case U'>':
            out += "&gt;";
            break;
        case U'"':
            out += "&quot;";
            break;
        case U'\'':
            out += "&#39;";
            break;
        default:
            if (steers(c))
                out += fmt::format("\\u{{{:X}}}", static_cast<std::uint32_t>(c));
            else
                out.append(valid, start, at - start);
        }
    }
    return out;
}

Html::Element::~Element() {
    html_.out_ += "</" + name_ + ">";
}

void Html::open(std::string_view name, Attributes attributes) {
    out_ += '<';
    out_ += name;
    for (const auto& [key, value] : attributes) {
        out_ += ' ';
        out_ += key;
        if (!value.empty())
            out_ += "=\"" + escape_html(value) + "\"";
    }
    out_ += '>';
}

Html::Element Html::element(std::string_view name, Attributes attributes) {
    open(name, attributes);
    return {*this, name};
}

Html& Html::leaf(std::string_view name, std::string_view text, Attributes attributes) {
    open(name, attributes);
    out_ += escape_html(text);
    out_ += "</";
    out_ += name;
    out_ += '>';
    return *this;
}

Html& Html::single(std::string_view name, Attributes attributes) {
    open(name, attributes);
    out_.back() = '/';
    out_ += '>';
    return *this;
}

Html& Html::text(std::string_view text) {
    out_ += escape_html(text);
    return *this;
}

Html& Html::raw(std::string_view markup) {
    out_ += markup;
    return *this;
}

} // namespace snapscope
