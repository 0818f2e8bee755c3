// Where a running server's arrays lie, and which entries are in use.
//
// A patched server states it in its memory file; a login adds what only the
// server can tell: page sizes and NUMA nodes.  A stock server has to be asked
// otherwise (whatever resolves its addresses fills the same LiveLayout).
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/collector/target.hpp>
#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

struct LiveArray {
    std::string name; // as pg_snapshot_layout() names them
    std::uint64_t address = 0, stride_bytes = 0, entries = 0;
    std::optional<std::uint64_t> segment_offset;
    std::optional<std::uint64_t> page_bytes;
    std::optional<std::map<std::string, std::uint64_t>> nodes; // pages by node, "absent" those that nobody touched
};

struct LiveLayout {
    Server server;
    std::vector<LiveArray> arrays;
    std::vector<std::uint32_t> used; // entries of connected backends
    std::vector<std::string> notes;  // what is missing, and why
};

// Class unavailable for a server that states no layout.  Fails where the memory
// file and the server's own answer contradict each other.
[[nodiscard]] Result<LiveLayout> read_live_layout(const TargetSpec& spec);

// Rows of pg_snapshot_layout() (name, address, segment_offset, stride_bytes,
// entries, page_bytes, numa_nodes), added to what is known; an error names the row.
[[nodiscard]] Status add_layout_rows(const std::vector<std::vector<std::string>>& rows, std::vector<LiveArray>& arrays);

} // namespace snapscope
