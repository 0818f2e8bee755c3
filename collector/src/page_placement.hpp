// How the kernel placed a server's shared memory: page size, NUMA policy, and
// for the pages of the arrays that snapshots touch, physical frame and node.
// Read from outside, once; the server runs nothing for it.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/collector/procfs.hpp>
#include <snapscope/recording/run.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

// What one line of numa_maps says of the mapping that begins at `start`.
struct NumaMapping {
    std::uint64_t start = 0;
    std::string policy; // "default", "interleave:0-1", "bind:0", ...
    std::optional<std::uint64_t> page_bytes;
};

// The mapping of TEXT (/proc/PID/numa_maps) that begins at START.
[[nodiscard]] std::optional<NumaMapping> find_numa_mapping(std::string_view text, std::uint64_t start);

// Of each page of PID at ADDRESSES: none where nobody touched it there.  It moves nothing.
[[nodiscard]] Result<std::vector<std::optional<std::uint32_t>>> page_nodes(pid_t pid,
                                                                           const std::vector<std::uint64_t>& addresses);

// Addresses of the pages that ARRAY lies on, at most `most_hot_pages` of them;
// pages of PAGE_BYTES begin at multiples of it.
inline constexpr std::size_t most_hot_pages = 256;
[[nodiscard]] std::vector<std::uint64_t> pages_of(const Array& array, std::uint64_t page_bytes);

// Of the mapping that holds ARRAYS in process PID.  Nullopt where no array has an
// address or no mapping holds it.  What this process may not see is null, and the
// notes say why.
[[nodiscard]] std::optional<MemoryPlacement> memory_placement(const ProcFs& proc, pid_t pid,
                                                              const std::vector<Array>& arrays);

} // namespace snapscope
