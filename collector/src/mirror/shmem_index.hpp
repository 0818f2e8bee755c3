// The server's own index of its shared memory: what each structure is called,
// where it lies and how large it was asked to be.
//
// The segment's header points to the hash table; its entries follow within the
// next pages.  They are looked for a few pages at a time and no further than
// needed, because reading a page that the server never touched allocates it.
#pragma once

#include "process_maps.hpp"

#include <map>
#include <string>
#include <vector>

namespace snapscope::mirror {

struct SegmentHeader {
    std::uint32_t magic = 0;
    std::int32_t creator = 0; // pid, in the server's own namespace
    std::uint64_t bytes = 0;
    Address index = 0;
};
inline constexpr std::uint32_t segment_magic = 679834894;

[[nodiscard]] Result<SegmentHeader> read_segment_header(const Memory& memory, const Mapped& segment);

struct IndexEntry {
    Address location = 0;
    std::uint64_t bytes = 0; // as asked for

    friend bool operator==(const IndexEntry&, const IndexEntry&) = default;
};

// The entries of NAMES that are found.
[[nodiscard]] Result<std::map<std::string, IndexEntry>>
read_index(const Memory& memory, const Mapped& segment, Address index, const std::vector<std::string>& names);

} // namespace snapscope::mirror
