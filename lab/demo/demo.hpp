// The demo: two temporary servers that differ in snapshot_cache only, side by
// side with idle connections, measured in alternating blocks through the
// program `snapscope`, as a user would.
#pragma once

#include <snapscope/base/result.hpp>

#include <atomic>
#include <cstdint>
#include <filesystem>

namespace snapscope::demo {

struct Options {
    std::filesystem::path prefix;    // the patched PostgreSQL
    std::filesystem::path snapscope; // the program
    std::filesystem::path output;    // demo-out
    std::uint32_t rounds = 12;
    std::size_t idle = 2000; // connections to each server
    std::uint32_t block_s = 3;
};

// Prints progress on stderr, results on stdout.  `stop` ends it early, between
// two steps; signals wake what it waits for.  Leaves no server behind.
[[nodiscard]] Status run(const Options& options, const std::atomic<bool>& stop);

} // namespace snapscope::demo
