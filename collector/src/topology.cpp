#include "topology.hpp"

#include <algorithm>
#include <functional>
#include <hwloc.h>
#include <map>
#include <memory>
#include <optional>
#include <sched.h>

namespace snapscope {
namespace {

struct DestroyTopology {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Owner = std::unique_ptr<hwloc_topology, DestroyTopology>;

// The outermost cache that holds what this CPU reads.  Levels differ between
// machines, and between the kinds of core of one machine.
hwloc_obj_t last_level_cache(hwloc_obj_t cpu) {
    hwloc_obj_t found = nullptr;
    for (hwloc_obj_t object = cpu->parent; object != nullptr; object = object->parent)
        if (hwloc_obj_type_is_dcache(object->type) != 0)
            found = object;
    return found;
}

// The node whose CPUs are the fewest that include this one.  Machines with
// memory of two kinds have several nodes with the same CPUs: the first is taken.
hwloc_obj_t nearest_node(hwloc_topology_t topology, hwloc_obj_t cpu) {
    hwloc_obj_t best = nullptr;
    for (hwloc_obj_t node = nullptr; (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node));) {
        if (hwloc_bitmap_isincluded(cpu->cpuset, node->cpuset) == 0)
            continue;
        if (best == nullptr || hwloc_bitmap_weight(node->cpuset) < hwloc_bitmap_weight(best->cpuset))
            best = node;
    }
    return best;
}

// Objects of a kind numbered in hwloc's order of CPUs.
class Numbers {
  public:
    std::uint32_t of(hwloc_obj_t object) {
        return numbers_.try_emplace(object, static_cast<std::uint32_t>(numbers_.size())).first->second;
    }

  private:
    std::map<hwloc_obj_t, std::uint32_t> numbers_;
};

HostTopology read(hwloc_topology_t topology) {
    HostTopology out;
    if (const hwloc_obj_t machine = hwloc_get_root_obj(topology))
        out.memory_bytes = machine->total_memory;
    Numbers caches;
    for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, object));) {
        Cpu cpu;
        cpu.cpu = object->os_index;
        // Without cores or packages in the description, a CPU is one, and there is one.
        const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, object);
        const hwloc_obj_t socket = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, object);
        const hwloc_obj_t node = nearest_node(topology, object);
        cpu.core = core != nullptr ? core->logical_index : object->logical_index;
        cpu.socket = socket != nullptr ? socket->logical_index : 0;
        cpu.node = node != nullptr ? node->os_index : 0;
        if (const hwloc_obj_t cache = last_level_cache(object))
            cpu.llc = caches.of(cache);
        out.cpus.push_back(cpu);
    }
    std::ranges::sort(out.cpus, {}, &Cpu::cpu);
    return out;
}

Result<HostTopology> load(const std::function<int(hwloc_topology_t)>& set_up, const char* what) {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0)
        return fail("cannot set up hwloc");
    const Owner topology(raw);
    if (set_up(raw) != 0 || hwloc_topology_load(raw) != 0)
        return fail(std::string("hwloc cannot read ") + what);
    return read(raw);
}

} // namespace

Result<HostTopology> topology_of_host() {
    return load(
        [](hwloc_topology_t raw) { return hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED); },
        "this host's topology");
}

Result<HostTopology> topology_from_synthetic(const std::string& description) {
    return load([&](hwloc_topology_t raw) { return hwloc_topology_set_synthetic(raw, description.c_str()); },
                "the synthetic topology");
}

Result<HostTopology> topology_from_xml(const std::string& xml) {
    return load(
        [&](hwloc_topology_t raw) {
            return hwloc_topology_set_xmlbuffer(raw, xml.c_str(), static_cast<int>(xml.size() + 1));
        },
        "the topology's XML");
}

std::vector<Cpu> allowed_cpus(const HostTopology& topology) {
    if (topology.cpus.empty())
        return {};
    // As large as the kernel's own mask, which may be larger than the CPUs that there are.
    struct FreeSet {
        void operator()(cpu_set_t* set) const { CPU_FREE(set); }
    };
    for (std::size_t cpus = topology.cpus.back().cpu + 1; cpus <= std::size_t{1} << 20; cpus *= 2) {
        const std::unique_ptr<cpu_set_t, FreeSet> set(CPU_ALLOC(cpus));
        const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
        if (!set || ::sched_getaffinity(0, bytes, set.get()) != 0)
            continue;
        std::vector<Cpu> out;
        std::ranges::copy_if(topology.cpus, std::back_inserter(out),
                             [&](const Cpu& cpu) { return CPU_ISSET_S(cpu.cpu, bytes, set.get()) != 0; });
        return out;
    }
    return {};
}

} // namespace snapscope
