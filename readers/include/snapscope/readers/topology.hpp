// The topology of a machine that is not here, from a file: `lscpu`, `lscpu -p`,
// `numactl -H`, or hwloc's XML.  Sockets, NUMA nodes, last-level caches and SMT
// are four groupings; what a file does not tell stays unknown.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

struct TopologyCpu {
    std::uint32_t cpu = 0;
    std::optional<std::uint32_t> core, node, socket, llc; // core: unique over the machine
};

struct MachineTopology {
    std::vector<TopologyCpu> cpus; // ascending, online ones
    std::string cpu_model, arch;
    std::optional<std::uint32_t> sockets, nodes, llcs; // how many
    std::optional<std::uint32_t> smt;                  // hardware threads a core
    // distance[a][b] of nodes a, b as the firmware states it, 10 = local.
    std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> distance;
    std::map<std::uint32_t, std::uint64_t> memory_mb; // by node; 0: a node without memory
    std::vector<std::string> notes;

    [[nodiscard]] const TopologyCpu* find(std::uint32_t cpu) const;
    // As a run's host holds them; empty where core, node or socket of one is not known.
    [[nodiscard]] std::vector<Cpu> host_cpus() const;
};

// Any of the four, told apart by what they hold.
[[nodiscard]] Result<MachineTopology> read_topology(std::string_view text, const std::string& label);

} // namespace snapscope
