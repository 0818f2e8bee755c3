// Numbers out of text, and text into JSON.  Used by every parser of what
// another program printed; none of it depends on the locale.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

// The whole of `text` as one integer in `base`: no blanks, no leading '+', no
// prefix, no remainder, and in T's range; anything else is nullopt.
template <std::integral T>
requires(!std::same_as<T, bool>) [[nodiscard]] std::optional<T> parse_integer(std::string_view text, int base = 10) {
    T value{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, base);
    if (error != std::errc{} || stop != end)
        return std::nullopt;
    return value;
}

// The whole of `text` as one finite decimal number, as strict as above: "inf",
// "nan" and what overflows a double are nullopt.
[[nodiscard]] std::optional<double> parse_double(std::string_view text);

// `text` without ASCII blanks and line ends at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);

// The parts of `text` between separators, empty ones included: "a,,b" has three, "" has one.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

// `text` as a JSON string, quotes included.  Bytes that are no UTF-8 become
// U+FFFD, so the result is valid whatever comes in.
[[nodiscard]] std::string json_quote(std::string_view text);

// `text` with every byte that is no part of well-formed UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string to_utf8(std::string_view text);

} // namespace snapscope
