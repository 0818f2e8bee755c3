#include "host.hpp"

#include "topology.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/collector/procfs.hpp>

#include <sstream>
#include <sys/utsname.h>

namespace snapscope {
namespace {

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

    auto topology = topology_of_host();
    if (!topology)
        return fail(topology.error());
    host.memory_bytes = topology->memory_bytes;
    host.cpus = std::move(topology->cpus);
    return host;
}

} // namespace snapscope
