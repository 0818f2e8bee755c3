// Whether holding the server's segment mapped could keep it from coming back.
//
// A mapping, or an open descriptor of it, keeps every page of a segment that the
// server has given up.  After a crash of a backend the postmaster makes a new
// one at once: where memory does not hold two, it fails and the server is down.
#pragma once

#include "process_maps.hpp"

#include <snapscope/collector/procfs.hpp>

#include <optional>
#include <string>

namespace snapscope::mirror {

struct MapFacts {
    PageKind pages = PageKind::ordinary;
    std::uint64_t segment_bytes = 0;
    std::optional<int> overcommit;                // vm.overcommit_memory
    std::optional<std::uint64_t> available_bytes; // MemAvailable
    std::optional<std::uint64_t> head_room_bytes; // least one of the server's cgroup and those above; none: no limit
};

// Why not; nullopt where two segments fit twice over.  What is not known is a reason, too.
[[nodiscard]] std::optional<std::string> map_risk(const MapFacts& facts);

// Of "Name:   123 kB" lines.
[[nodiscard]] std::optional<std::uint64_t> meminfo_bytes(std::string_view text, std::string_view name);

// The path of "0::/a/b" (v2), or of the line that names the controller memory (v1).
[[nodiscard]] std::optional<std::string> memory_cgroup(std::string_view text, bool& version_1);

[[nodiscard]] MapFacts map_facts(const ProcFs& proc, pid_t postmaster, const Mapped& segment);

} // namespace snapscope::mirror
