#include "topology_hwloc.hpp"

#include <hwloc.h>
#include <memory>

namespace snapscope {
namespace {

struct DestroyTopology {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<hwloc_topology, DestroyTopology>;

std::optional<std::uint32_t> ancestor(hwloc_topology_t topology, hwloc_obj_t object, hwloc_obj_type_t type) {
    const hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(topology, type, object);
    return found != nullptr ? std::optional(found->logical_index) : std::nullopt;
}

std::optional<std::uint32_t> node_of(hwloc_topology_t topology, hwloc_obj_t cpu) {
    for (hwloc_obj_t node = nullptr;
         (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr;)
        if (node->cpuset != nullptr && hwloc_bitmap_isincluded(cpu->cpuset, node->cpuset) != 0)
            return node->os_index;
    return std::nullopt;
}

std::optional<std::uint32_t> count(hwloc_topology_t topology, hwloc_obj_type_t type) {
    const int number = hwloc_get_nbobjs_by_type(topology, type);
    return number > 0 ? std::optional(static_cast<std::uint32_t>(number)) : std::nullopt;
}

} // namespace

Result<MachineTopology> read_hwloc_xml(std::string_view text, const std::string& label) {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0)
        return fail("cannot set up hwloc");
    const Handle handle(raw);
    const std::string bytes(text); // hwloc wants the closing zero counted
    if (hwloc_topology_set_xmlbuffer(raw, bytes.c_str(), static_cast<int>(bytes.size() + 1)) != 0 ||
        hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0 || hwloc_topology_load(raw) != 0)
        return fail(label + " is no topology that hwloc reads", "write one with 'lstopo FILE.xml'");
    MachineTopology out;
    for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_PU, pu)) != nullptr;) {
        TopologyCpu cpu;
        cpu.cpu = pu->os_index;
        cpu.core = ancestor(raw, pu, HWLOC_OBJ_CORE);
        cpu.socket = ancestor(raw, pu, HWLOC_OBJ_PACKAGE);
        cpu.llc = ancestor(raw, pu, HWLOC_OBJ_L3CACHE);
        cpu.node = node_of(raw, pu);
        out.cpus.push_back(cpu);
    }
    for (hwloc_obj_t node = nullptr; (node = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_NUMANODE, node)) != nullptr;)
        out.memory_mb[node->os_index] = node->attr->numanode.local_memory >> 20U;
    out.sockets = count(raw, HWLOC_OBJ_PACKAGE);
    out.nodes = count(raw, HWLOC_OBJ_NUMANODE);
    out.llcs = count(raw, HWLOC_OBJ_L3CACHE);
    return out;
}

} // namespace snapscope
