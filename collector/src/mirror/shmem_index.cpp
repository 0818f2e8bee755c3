#include "shmem_index.hpp"

#include <algorithm>
#include <array>

namespace snapscope::mirror {
namespace {

constexpr std::size_t name_bytes = 48;
constexpr std::size_t entry_bytes = name_bytes + 3 * sizeof(std::uint64_t); // name, location, size, allocated size
constexpr std::size_t step_bytes = std::size_t{16} << 10U;
constexpr std::size_t reach_bytes = std::size_t{256} << 10U;

bool has_name(std::span<const std::byte> entry, const std::string& name) {
    const auto same = [&](std::size_t i) {
        return entry[i] == static_cast<std::byte>(i < name.size() ? name[i] : '\0');
    };
    for (std::size_t i = 0; i < name_bytes; ++i)
        if (!same(i))
            return false;
    return true;
}

void take_entries(std::span<const std::byte> bytes, const Mapped& segment, const std::vector<std::string>& names,
                  std::map<std::string, IndexEntry>& found) {
    for (std::size_t at = 0; at + entry_bytes <= bytes.size(); at += sizeof(std::uint64_t)) {
        const auto entry = bytes.subspan(at, entry_bytes);
        for (const auto& name : names) {
            if (found.contains(name) || !has_name(entry, name))
                continue;
            const IndexEntry value{field_at<std::uint64_t>(entry, name_bytes),
                                   field_at<std::uint64_t>(entry, name_bytes + sizeof(std::uint64_t))};
            if (segment.holds(value.location, value.bytes))
                found.emplace(name, value);
        }
    }
}

} // namespace

Result<SegmentHeader> read_segment_header(const Memory& memory, const Mapped& segment) {
    std::array<std::byte, 40> bytes{};
    const Piece piece{segment.start, bytes};
    SNAPSCOPE_TRY(memory.read(std::span(&piece, 1)));
    SegmentHeader header;
    header.magic = field_at<std::uint32_t>(bytes, 0);
    header.creator = field_at<std::int32_t>(bytes, 4);
    header.bytes = field_at<std::uint64_t>(bytes, 8);
    header.index = field_at<std::uint64_t>(bytes, 32);
    return header;
}

Result<std::map<std::string, IndexEntry>> read_index(const Memory& memory, const Mapped& segment, Address index,
                                                     const std::vector<std::string>& names) {
    std::map<std::string, IndexEntry> found;
    if (!segment.holds(index))
        return found;
    const std::size_t reach = std::min<std::uint64_t>(reach_bytes, segment.end - index);
    std::vector<std::byte> bytes(reach);
    for (std::size_t have = 0; have < reach && found.size() < names.size();) {
        const std::size_t step = std::min(step_bytes, reach - have);
        const Piece piece{index + have, std::span(bytes).subspan(have, step)};
        SNAPSCOPE_TRY(memory.read(std::span(&piece, 1)));
        // An entry may reach over the end of the step before.
        const std::size_t from =
            have < entry_bytes ? 0 : (have - entry_bytes) / sizeof(std::uint64_t) * sizeof(std::uint64_t);
        have += step;
        take_entries(std::span(bytes).subspan(from, have - from), segment, names, found);
    }
    return found;
}

} // namespace snapscope::mirror
