// Where each CPU lies: core, last-level cache, NUMA node and socket, four
// groupings of which none follows from another (one socket may hold several
// nodes, and one node several sockets).  hwloc's view.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/run.hpp>

#include <string>
#include <vector>

namespace snapscope {

struct HostTopology {
    // By CPU number.  Only CPUs that are online: one that comes online later is
    // in no group, and stays without one.
    std::vector<Cpu> cpus;
    std::uint64_t memory_bytes = 0;
};

// This machine, also the CPUs that this process may not use.
[[nodiscard]] Result<HostTopology> topology_of_host();
// hwloc's words for a machine ("package:2 core:4 pu:2") or a file of lstopo.xml;
// for tests, and for models of other machines.
[[nodiscard]] Result<HostTopology> topology_from_synthetic(const std::string& description);
[[nodiscard]] Result<HostTopology> topology_from_xml(const std::string& xml);

// CPUs that this thread may run on, of those in TOPOLOGY.
[[nodiscard]] std::vector<Cpu> allowed_cpus(const HostTopology& topology);

} // namespace snapscope
