// What a run of snapscope_torture is told.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace snapscope::torture {

struct Options {
    std::filesystem::path prefix; // of the server
    std::string mode = "copy";    // snapshot_cache
    int clients = 12;
    double seconds = 8;
    std::uint64_t seed = 1;
    bool verify = false;
    bool kill = false;
    double kill_interval = 3; // seconds
    bool promote = false;     // a standby, promoted in the middle
    std::vector<std::pair<std::string, std::string>> settings;
    bool keep_log = false; // prints the server's log on a fault
};

} // namespace snapscope::torture
