#include "host.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/collector/procfs.hpp>

#include <hwloc.h>
#include <map>
#include <memory>
#include <sstream>
#include <sys/utsname.h>

namespace snapscope {
namespace {

struct DestroyTopology {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;

std::optional<std::uint32_t> ancestor_number(hwloc_topology_t topology, hwloc_obj_t object, hwloc_obj_type_t type) {
    const hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(topology, type, object);
    return found != nullptr ? std::optional(found->logical_index) : std::nullopt;
}

// The highest cache level that several cores could share.
std::optional<std::uint32_t> last_level_cache(hwloc_topology_t topology, hwloc_obj_t cpu) {
    for (const auto type : {HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE}) {
        if (const auto number = ancestor_number(topology, cpu, type))
            return number;
    }
    return std::nullopt;
}

std::uint32_t numa_node(hwloc_topology_t topology, hwloc_obj_t cpu) {
    for (hwloc_obj_t node = nullptr; (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node));) {
        if (hwloc_bitmap_isincluded(cpu->cpuset, node->cpuset) != 0)
            return node->os_index;
    }
    return 0;
}

void read_cpuinfo(Host& host) {
    std::istringstream lines(read_text("/proc/cpuinfo").value_or(""));
    for (std::string line; std::getline(lines, line);) {
        const auto colon = line.find(':');
        if (colon == std::string::npos)
            continue;
        const std::string name(trim(std::string_view(line).substr(0, colon)));
        const std::string value(trim(std::string_view(line).substr(colon + 1)));
        if (name == "model name" && host.cpu_model.empty())
            host.cpu_model = value;
        if (name == "flags" && (" " + value + " ").find(" hypervisor ") != std::string::npos)
            host.hypervisor = "unknown";
    }
    if (!host.hypervisor)
        return;
    for (const char* file : {"/sys/hypervisor/type", "/sys/class/dmi/id/sys_vendor"}) {
        if (const auto text = read_text(file); text && !trim(*text).empty()) {
            host.hypervisor = std::string(trim(*text));
            return;
        }
    }
}

} // namespace

Result<Host> describe_host() {
    Host host;
    utsname names{};
    if (::uname(&names) == 0) {
        host.name = names.nodename;
        host.kernel = std::string(names.sysname) + " " + names.release;
        host.arch = names.machine;
    }
    read_cpuinfo(host);

    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0)
        return fail("cannot set up hwloc");
    const Topology topology(raw);
    hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    if (hwloc_topology_load(raw) != 0)
        return fail("hwloc cannot read this host's topology");
    if (const hwloc_obj_t machine = hwloc_get_root_obj(raw))
        host.memory_bytes = machine->total_memory;
    for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_PU, object));) {
        Cpu cpu;
        cpu.cpu = object->os_index;
        cpu.core = ancestor_number(raw, object, HWLOC_OBJ_CORE).value_or(cpu.cpu);
        cpu.socket = ancestor_number(raw, object, HWLOC_OBJ_PACKAGE).value_or(0);
        cpu.node = numa_node(raw, object);
        cpu.llc = last_level_cache(raw, object);
        host.cpus.push_back(cpu);
    }
    return host;
}

} // namespace snapscope
