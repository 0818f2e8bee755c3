#include "pgbench_lines.hpp"

#include <snapscope/lab/pgbench.hpp>

#include <algorithm>
#include <array>

namespace snapscope {
namespace pgbench {

std::optional<std::string_view> aborted_client(std::string_view text) {
    for (const auto* prefix : {"pgbench: error: ", "pgbench: fatal: ", "pgbench: "})
        if (const auto rest = after(text, prefix)) {
            text = *rest;
            break;
        }
    const auto rest = after(text, "client ");
    if (!rest)
        return std::nullopt;
    const auto number = rest->substr(0, rest->find(' '));
    if (!parse_integer<unsigned>(number) || rest->find(" aborted") == std::string_view::npos)
        return std::nullopt;
    return number;
}

bool is_error(std::string_view text) {
    constexpr std::array starts = {"pgbench: error:",
                                   "pgbench: fatal:",
                                   "pgbench: could not",
                                   "Connection to database",
                                   "connection to ",
                                   "could not ",
                                   "ERROR:",
                                   "FATAL:",
                                   "PANIC:",
                                   "server closed",
                                   "psql: error:"};
    return std::ranges::any_of(starts, [&](const char* start) { return text.starts_with(start); });
}

} // namespace pgbench

bool pgbench_reconnects(const std::vector<std::string>& argv) {
    constexpr std::string_view with_value = "IcDfFhjLMpPRstTUb"; // short options that take a value
    for (std::size_t i = 1; i < argv.size(); ++i) {
        const std::string_view word = argv[i];
        if (word == "--")
            return false;
        if (word == "--connect")
            return true;
        if (word.size() < 2 || word[0] != '-' || word[1] == '-')
            continue;
        for (std::size_t at = 1; at < word.size(); ++at) {
            if (word[at] == 'C')
                return true;
            if (with_value.find(word[at]) != std::string_view::npos) {
                if (at + 1 == word.size())
                    ++i; // the value is the next word
                break;
            }
        }
    }
    return false;
}

} // namespace snapscope
