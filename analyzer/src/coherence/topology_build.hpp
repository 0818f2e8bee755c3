// From CPUs as somebody describes them to a Topology.
#pragma once

#include <snapscope/analyzer/topology.hpp>

#include <optional>

namespace snapscope {

struct RawCpu {
    std::uint32_t cpu = 0;
    std::uint32_t core = 0; // within the socket or within the machine
    std::optional<std::uint32_t> llc;
    std::uint32_t socket = 0;
};

// Fails for no CPU, too many, one that is named twice, a core behind two caches.
[[nodiscard]] Result<Topology> build_topology(std::vector<RawCpu> raw, std::string name, std::string source);

} // namespace snapscope
