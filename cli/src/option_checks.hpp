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

// The same for "2%" or "2": TAKE gets 2.
template <typename Take>
CLI::Option* add_percent(CLI::App& verb, const std::string& flag, double low, double high, Take take,
                         const std::string& description) {
    const auto number = [low, high](const std::string& text) {
        return parse_number(text.ends_with('%') ? text.substr(0, text.size() - 1) : text, low, high);
    };
    const auto check = [number, low, high](const std::string& text) {
        return number(text) ? std::string() : fmt::format("'{}' is no percentage from {} to {}", text, low, high);
    };
    const auto set = [number, take](const std::string& text) { take(*number(text)); };
    return verb.add_option_function<std::string>(flag, set, description)->check(check)->type_name("PERCENT");
}

} // namespace snapscope::cli
