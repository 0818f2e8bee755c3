// What options may be; anything else is refused in words, with the range where
// there is one.
#pragma once

#include <snapscope/base/text.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace snapscope::cli {

// A check of an option: "" is a variable that a script forgot to set, and not the default.
[[nodiscard]] inline std::string not_empty(const std::string& text) {
    return text.empty() ? "it is given, and empty" : "";
}

template <typename T> [[nodiscard]] std::optional<T> parse_number(const std::string& text, T low, T high) {
    std::optional<T> number;
    if constexpr (std::is_integral_v<T>)
        number = parse_integer<T>(text);
    else
        number = parse_double(text);
    return number && *number >= low && *number <= high ? number : std::nullopt;
}

// TAKE gets the number, which lies in [LOW, HIGH].
template <typename T, typename Take>
CLI::Option* add_number(CLI::App& verb, const std::string& flag, const std::string& type_name, T low, T high, Take take,
                        const std::string& description) {
    const auto check = [low, high](const std::string& text) {
        constexpr const char* kind = std::is_integral_v<T> ? "whole number" : "number";
        return parse_number(text, low, high) ? std::string()
                                             : fmt::format("'{}' is no {} from {} to {}", text, kind, low, high);
    };
    const auto set = [low, high, take](const std::string& text) { take(*parse_number(text, low, high)); };
    return verb.add_option_function<std::string>(flag, set, description)->check(check)->type_name(type_name);
}

} // namespace snapscope::cli
