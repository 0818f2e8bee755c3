// Where the server's backends ran, by last-level cache, NUMA node and socket,
// and how often they moved from one to another.  Used by summaries and reports.
//
// The four groupings are apart: one socket may hold several nodes, and one node
// several sockets.
#pragma once

#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

struct GroupTime {
    std::string group; // number, or "unknown": CPUs that the run's host does not have, or whose group is not known
    std::int64_t run_ns = 0;
    double share = 0; // of all time that slots ran
};

// One grouping of all CPUs.
struct LevelTime {
    std::string by;         // llc, node, socket
    std::size_t groups = 0; // that the host has
    std::vector<GroupTime> times;
};

struct Moves {
    std::optional<std::uint64_t> all, across_llc, across_node, across_socket;
};

struct SlotPlacement {
    std::uint32_t slot = 0;
    std::optional<std::uint32_t> pid;
    std::vector<LevelTime> levels;
    Moves moves;
};

struct Placement {
    std::string source;            // sched; empty: nobody watched
    Moves moves;                   // of all backends
    std::vector<LevelTime> levels; // of all slots together; empty where no slot is known
    std::vector<SlotPlacement> slots;
};

[[nodiscard]] Placement placement(const Run& run);
[[nodiscard]] nlohmann::json to_json(const Placement& placement);

} // namespace snapscope
