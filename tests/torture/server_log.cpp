#include "server_log.hpp"

#include <algorithm>
#include <array>

namespace snapscope::torture {
namespace {

constexpr std::size_t most_lines = 20;

bool is_fault(const std::string& line) {
    // A standby whose primary is gone calls that an internal error.
    if (line.find(" walreceiver XX000 FATAL:") != std::string::npos)
        return false;
    constexpr std::array words = {"PANIC", "TRAP:", "snapshot cache:", " XX000 ", " XX001 ", " XX002 "};
    return std::any_of(words.begin(), words.end(),
                       [&](const char* word) { return line.find(word) != std::string::npos; });
}

} // namespace

std::vector<std::string> faults_in_log(std::istream& log, std::uint64_t kills) {
    std::vector<std::string> faults;
    for (std::string line; faults.size() < most_lines && std::getline(log, line);) {
        const auto signal = line.find("was terminated by signal ");
        if (signal != std::string::npos && kills > 0 && line.find("signal 9:", signal) != std::string::npos)
            --kills;
        else if (signal != std::string::npos || is_fault(line))
            faults.push_back(line);
    }
    return faults;
}

} // namespace snapscope::torture
