// Parts of one line of pgbench's output, as pure functions.
#pragma once

#include <snapscope/base/text.hpp>

#include <optional>
#include <string_view>

namespace snapscope::pgbench {

// What follows `label` at the start of `text`.
[[nodiscard]] inline std::optional<std::string_view> after(std::string_view text, std::string_view label) {
    if (!text.starts_with(label))
        return std::nullopt;
    return text.substr(label.size());
}

// The number at the start of `text`, after blanks; it ends at a blank, a
// bracket, a slash ("1000/1000"), a comma or the line's end.
template <typename T> [[nodiscard]] std::optional<T> leading_number(std::string_view text) {
    text = trim(text);
    const auto word = text.substr(0, text.find_first_of(" \t(/,"));
    if constexpr (std::is_integral_v<T>)
        return parse_integer<T>(word);
    else
        return parse_double(word);
}

// The number of the client that this line says was aborted:
//   "client 3 aborted in command 0 (SQL) of script 0; ..."   up to 13
//   "pgbench: error: client 3 script 0 aborted in command 0 query 0: ..."
//   "pgbench: error: client 3 aborted while establishing connection"
[[nodiscard]] std::optional<std::string_view> aborted_client(std::string_view text);

// A line that says that something failed, without naming a client.
[[nodiscard]] bool is_error(std::string_view text);

} // namespace snapscope::pgbench
