#include "host_probes.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/base/unique_fd.hpp>
#include <snapscope/collector/capabilities.hpp>
#include <snapscope/collector/kernel_limits.hpp>
#include <snapscope/collector/procfs.hpp>

#include <cerrno>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace snapscope {
namespace {

std::optional<int> number_in(const char* file) {
    const auto text = read_text(file);
    return text ? parse_integer<int>(trim(*text)) : std::nullopt;
}

// Of "none [integrity] confidentiality".
std::optional<std::string> lockdown_state() {
    const auto text = read_text("/sys/kernel/security/lockdown");
    return text ? chosen_word(*text) : std::nullopt;
}

bool is_filtered() {
    const auto status = read_text("/proc/self/status").value_or("");
    const auto at = status.find("Seccomp:");
    return at != std::string::npos && trim(std::string_view(status).substr(at + 8, 3)).starts_with('2');
}

bool refused(long result) {
    return result < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

// Calls that make no sense, or look at this process only: where the right to make
// them is there, the kernel itself finds another fault with them, or none.
std::vector<std::string> filtered_calls() {
    std::vector<std::string> calls;
    if (!is_filtered())
        return calls;
    std::uint64_t from = 1;
    std::uint64_t to = 0;
    const iovec here{&to, sizeof to};
    const iovec there{&from, sizeof from};
    if (refused(::process_vm_readv(::getpid(), &here, 1, &there, 1, 0)))
        calls.emplace_back("process_vm_readv");
    bpf_attr nothing{};
    if (!missing_for_bpf() && refused(::syscall(SYS_bpf, BPF_OBJ_GET, &nothing, sizeof nothing)))
        calls.emplace_back("bpf");
    perf_event_attr nothing_counted{};
    nothing_counted.type = PERF_TYPE_SOFTWARE;
    nothing_counted.size = sizeof nothing_counted;
    nothing_counted.config = PERF_COUNT_SW_DUMMY;
    nothing_counted.disabled = 1;
    nothing_counted.exclude_kernel = 1;
    const UniqueFd event(
        static_cast<int>(::syscall(SYS_perf_event_open, &nothing_counted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
    if (refused(event ? 0 : -1) && (has_capability("cap_perfmon") || has_capability("cap_sys_admin")))
        calls.emplace_back("perf_event_open");
    return calls;
}

} // namespace

KernelFacts kernel_facts() {
    KernelFacts facts;
    facts.perf_event_paranoid = number_in("/proc/sys/kernel/perf_event_paranoid");
    facts.lockdown = lockdown_state();
    facts.btf = ::access("/sys/kernel/btf/vmlinux", R_OK) == 0;
    facts.filtered_calls = filtered_calls();
    if (const auto events = probe_hardware_events(); !events)
        facts.no_pmu = events.error().what;
    facts.ptrace_scope = number_in("/proc/sys/kernel/yama/ptrace_scope");
    facts.can_perfmon = has_capability("cap_perfmon") || has_capability("cap_sys_admin");
    facts.can_ptrace = has_capability("cap_sys_ptrace");
    return facts;
}

} // namespace snapscope
