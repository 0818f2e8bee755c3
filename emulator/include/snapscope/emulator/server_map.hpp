// What is watched of a server, and how its guest finds it: pointers and counts
// by the symbols of its binary and the layout of its version.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/emulator/symbols.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace snapscope::emulator {

// What the plug-in notes; the index is the mark, and all from `nested` on are
// such: the patched server's own code is about to enter GetSnapshotData once
// more for the same snapshot.
enum class Mark : std::uint8_t { snapshot, proc_added, proc_removed, nested };

struct ServerMap {
    std::filesystem::path prefix, binary, pgbench, share, library;
    std::string version; // "13.16"
    int major = 0;
    bool patched = false; // has snapshot_cache
    Symbols symbols;
    std::uint64_t base = 0;          // where the guest maps the binary's first byte
    std::vector<std::string> ranges; // lines of the guest's plan
    std::vector<std::uint64_t> mark_addresses;

    // The function of an instruction of the binary as it lies in the guest.
    [[nodiscard]] std::string function_at(std::uint64_t pc) const;
};

// PREFIX holds bin/postgres, bin/pgbench and bin/pg_config.  Refused: a version
// that is not known, and a binary without the symbols of procarray.c.
[[nodiscard]] Result<ServerMap> describe_server(const std::filesystem::path& prefix);

} // namespace snapscope::emulator
