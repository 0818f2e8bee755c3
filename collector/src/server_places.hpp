// Where a running server's hot structures lie, by array, entry and field, which
// process owns an entry, and in which NUMA node's memory a page is.  A patched
// server states it in its memory file; an unpatched one is looked at as the
// mirror does, and believed after the same checks.
#pragma once

#include "mirror_source.hpp"

#include <snapscope/collector/memory_file.hpp>
#include <snapscope/readers/address_map.hpp>

#include <memory>
#include <optional>

namespace snapscope {

class ServerPlaces {
  public:
    // MEMORY: of a patched server, and outlives this; nullptr for others.  Class
    // unavailable where the arrays cannot be found.
    static Result<ServerPlaces> find(const ProcFs& proc, const Postmaster& postmaster, const MemoryFile* memory);

    [[nodiscard]] const AddressMap& map() const { return map_; }
    // The process that holds SLOT now; 0: none, or it cannot be read.
    [[nodiscard]] std::uint32_t owner(std::uint32_t slot) const;
    // Still what it was: false once the server has given its shared memory up
    // (a crash restart), or has ended.
    [[nodiscard]] bool still_there() const;
    // nullopt: not resident, not readable, or a kernel without NUMA.
    [[nodiscard]] std::optional<std::uint32_t> node_of(std::uint64_t address) const;
    // What stands in a run's layout.
    [[nodiscard]] std::vector<Array> arrays() const;

  private:
    AddressMap map_;
    pid_t postmaster_ = 0;
    const MemoryFile* memory_ = nullptr;
    std::uint32_t incarnation_ = 0;
    MirroredServer mirrored_; // of unpatched servers
};

} // namespace snapscope
