#include "cluster_files.hpp"

#include <snapscope/base/text.hpp>

#include <fmt/format.h>

namespace snapscope::cluster {

std::string settings_text(const std::vector<std::pair<std::string, std::string>>& settings) {
    std::string out;
    for (const auto& [name, value] : settings) {
        std::string quoted;
        for (const char c : value) {
            if (c == '\'' || c == '\\')
                quoted += c;
            quoted += c;
        }
        out += fmt::format("{} = '{}'\n", name, quoted);
    }
    return out;
}

bool says_ready(std::string_view postmaster_pid) {
    for (int line = 1; line < 8; ++line) {
        const auto end = postmaster_pid.find('\n');
        if (end == std::string_view::npos)
            return false;
        postmaster_pid.remove_prefix(end + 1);
    }
    return trim(postmaster_pid.substr(0, postmaster_pid.find('\n'))) == "ready";
}

std::string reason_in(std::string_view log) {
    std::string_view last;
    std::string reason;
    while (!log.empty()) {
        const auto line = trim(log.substr(0, log.find('\n')));
        const auto end = log.find('\n');
        log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
        if (line.empty())
            continue;
        const bool fatal = line.find("FATAL:") != std::string_view::npos ||
                           line.find("PANIC:") != std::string_view::npos ||
                           line.find("error:") != std::string_view::npos;
        if (fatal) // "configuration file ... contains errors" comes after the line that says which
            reason = line.ends_with("contains errors") && !last.empty() ? fmt::format("{}; {}", last, line) : line;
        if (line.find("HINT:") == std::string_view::npos) // it belongs to the line before
            last = line;
    }
    return to_utf8(reason.empty() ? last : std::string_view(reason));
}

} // namespace snapscope::cluster
