// The cache lines that a snapshot touches, numbered densely: what the coherence
// model counts by.
#pragma once

#include <snapscope/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

inline constexpr std::uint64_t line_bytes = 64;
inline constexpr std::uint64_t prefetch_page_bytes = 4096; // no prefetcher leaves its page

// A structure in the server's address space.
struct Region {
    std::string name; // PGXACT, ProcArrayLock, ...
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
};

using LineId = std::uint32_t;

class LineSpace {
  public:
    // Regions may share lines, never overlap in bytes.  Fails for an empty
    // region, one that wraps, and for more lines than 2^22.
    [[nodiscard]] static Result<LineSpace> create(std::vector<Region> regions);

    [[nodiscard]] std::size_t lines() const { return addresses_.size(); }
    [[nodiscard]] const std::vector<Region>& regions() const { return regions_; }
    // Of byte OFFSET of a region; OFFSET is inside it.
    [[nodiscard]] LineId line(std::size_t region, std::uint64_t offset) const {
        const Region& r = regions_[region];
        return first_line_[region] + static_cast<LineId>((r.address + offset) / line_bytes - r.address / line_bytes);
    }
    // The first byte's address.
    [[nodiscard]] std::uint64_t address(LineId line) const { return addresses_[line] * line_bytes; }
    // The first region that has a byte on it.
    [[nodiscard]] std::size_t region_of(LineId line) const { return region_of_[line]; }
    // The line behind it, where it is one of these and on the same page.
    [[nodiscard]] std::optional<LineId> next_in_page(LineId line) const;
    // Pages are numbered densely, too.
    [[nodiscard]] std::uint32_t page(LineId line) const { return page_of_[line]; }
    [[nodiscard]] std::uint32_t pages() const { return pages_; }

  private:
    LineSpace() = default;
    std::vector<Region> regions_;
    std::vector<LineId> first_line_;       // by region
    std::vector<std::uint64_t> addresses_; // by line, in lines
    std::vector<std::uint32_t> region_of_;
    std::vector<std::uint32_t> page_of_;
    std::uint32_t pages_ = 0;
};

} // namespace snapscope
