#include "host_probes.hpp"

#include <snapscope/base/unique_fd.hpp>
#include <snapscope/collector/procfs.hpp>
#include <snapscope/collector/timed_load.hpp>

#include <cerrno>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <system_error>

namespace snapscope {
namespace {

tl::unexpected<Error> no(std::string what, std::string hint) {
    return fail(Error{ErrorClass::unavailable, std::move(what), std::move(hint)});
}

perf_event_attr disabled_event(std::uint32_t type) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = type;
    attributes.disabled = 1;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    return attributes;
}

// Opened for this process only; 0 or the error number.
int try_event(perf_event_attr attributes) {
    const UniqueFd fd(static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
    return fd ? 0 : errno;
}

tl::unexpected<Error> perf_error(const std::string& what, int error) {
    if (error == EACCES || error == EPERM)
        return no("no right to open " + what, "run with CAP_PERFMON, or lower kernel.perf_event_paranoid");
    return no(what + ": " + std::generic_category().message(error), "");
}

} // namespace

Status probe_hardware_events() {
    auto attributes = disabled_event(PERF_TYPE_HARDWARE);
    attributes.config = PERF_COUNT_HW_CACHE_MISSES;
    const int error = try_event(attributes);
    if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
        return no("no hardware PMU here", "HITM needs bare metal or a virtual PMU");
    if (error != 0)
        return perf_error("a hardware event", error);
    return {};
}

Status probe_watchpoint() {
    static const std::uint64_t word = 0;
    auto attributes = disabled_event(PERF_TYPE_BREAKPOINT);
    attributes.bp_type = HW_BREAKPOINT_W;
    attributes.bp_addr = reinterpret_cast<std::uint64_t>(&word);
    attributes.bp_len = HW_BREAKPOINT_LEN_8;
    const int error = try_event(attributes);
    if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
        return no("no hardware watchpoints here", "the processor or the hypervisor hides the debug registers");
    if (error != 0)
        return perf_error("a hardware watchpoint", error);
    return {};
}

Status probe_load_timing() {
    if (!can_time_loads)
        return no("no way to time a single load on this processor", "x86-64 and aarch64 have one");
#if defined(__x86_64__)
    const auto flags = read_text("/proc/cpuinfo").value_or("");
    for (const char* flag : {" constant_tsc", " nonstop_tsc", " rdtscp"}) {
        if (flags.find(flag) == std::string::npos)
            return no(std::string("the processor does not state") + flag, "single loads cannot be timed here");
    }
#endif
    return {};
}

Status check_two_cpus(std::size_t allowed) {
    if (allowed >= 2)
        return {};
    return fail("nothing can be measured: this process may run on one CPU only, and a line needs two to travel between",
                "widen its affinity mask (taskset, cpuset) or use a machine with more CPUs");
}

} // namespace snapscope
