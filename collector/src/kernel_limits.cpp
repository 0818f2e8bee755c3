#include <snapscope/collector/kernel_limits.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace snapscope {
namespace {

KernelLimit paranoid(const KernelFacts& facts) {
    KernelLimit limit{"perf_event_paranoid", "", {}, "", ""};
    if (!facts.perf_event_paranoid)
        return limit;
    limit.value = std::to_string(*facts.perf_event_paranoid);
    if (facts.can_perfmon || *facts.perf_event_paranoid <= 0)
        return limit;
    limit.sources = {"watch", "hitm"};
    limit.reason = fmt::format("kernel.perf_event_paranoid is {}: without CAP_PERFMON no event may be opened on a "
                               "whole CPU",
                               limit.value);
    limit.hint = "run with CAP_PERFMON, or set kernel.perf_event_paranoid=0";
    return limit;
}

KernelLimit lockdown(const KernelFacts& facts) {
    KernelLimit limit{"lockdown", facts.lockdown.value_or(""), {}, "", ""};
    if (limit.value == "confidentiality") {
        limit.sources = {"ebpf", "sched", "hitm", "pcm"};
        limit.reason = "lockdown keeps BPF programs and perf from reading memory, and registers from being read";
    } else if (limit.value == "integrity") {
        limit.sources = {"pcm"};
        limit.reason = "lockdown keeps model-specific registers from being written";
    }
    if (limit.limits())
        limit.hint = "start the kernel with lockdown=none, which Secure Boot may forbid";
    return limit;
}

KernelLimit btf(const KernelFacts& facts) {
    KernelLimit limit{"btf", facts.btf ? "/sys/kernel/btf/vmlinux" : "", {}, "", ""};
    if (facts.btf)
        return limit;
    limit.sources = {"ebpf", "sched"};
    limit.reason = "the kernel carries no BTF, so BPF programs cannot be fitted to it";
    limit.hint = "use a kernel built with CONFIG_DEBUG_INFO_BTF, as distributions do";
    return limit;
}

// The sources that need a system call.
std::vector<std::string> needing(const std::string& call) {
    if (call == "process_vm_readv")
        return {"mirror"};
    if (call == "bpf")
        return {"ebpf", "sched"};
    return {"ebpf", "sched", "watch", "hitm"}; // perf_event_open
}

KernelLimit seccomp(const KernelFacts& facts) {
    KernelLimit limit{"seccomp", fmt::format("{}", fmt::join(facts.filtered_calls, " ")), {}, "", ""};
    for (const auto& call : facts.filtered_calls)
        for (auto& source : needing(call))
            if (std::ranges::find(limit.sources, source) == limit.sources.end())
                limit.sources.push_back(std::move(source));
    if (limit.limits()) {
        limit.reason = "a seccomp filter, as containers have one, refuses " + limit.value;
        limit.hint = "allow these calls in the container's seccomp profile, or run on the host";
    }
    return limit;
}

KernelLimit pmu(const KernelFacts& facts) {
    KernelLimit limit{"pmu", facts.no_pmu ? "" : "hardware events open", {}, "", ""};
    if (!facts.no_pmu)
        return limit;
    limit.sources = {"hitm"};
    limit.reason = *facts.no_pmu;
    limit.hint = "measure on bare metal, or give the virtual machine a PMU";
    return limit;
}

KernelLimit ptrace_scope(const KernelFacts& facts) {
    KernelLimit limit{"ptrace_scope", "", {}, "", ""};
    if (!facts.ptrace_scope)
        return limit;
    constexpr int nobody = 3;
    limit.value = std::to_string(*facts.ptrace_scope);
    if (*facts.ptrace_scope == 0 || (facts.can_ptrace && *facts.ptrace_scope < nobody))
        return limit;
    limit.sources = {"mirror"};
    limit.reason = fmt::format("kernel.yama.ptrace_scope is {}: {} may read the memory of a process that is not its "
                               "child",
                               limit.value, *facts.ptrace_scope < nobody ? "nobody without CAP_SYS_PTRACE" : "nobody");
    limit.hint = *facts.ptrace_scope < nobody ? "run with CAP_SYS_PTRACE, or set kernel.yama.ptrace_scope=0"
                                              : "it stays so until the next boot; set kernel.yama.ptrace_scope=1 there";
    return limit;
}

} // namespace

std::vector<KernelLimit> kernel_limits(const KernelFacts& facts) {
    return {paranoid(facts), lockdown(facts), btf(facts), seccomp(facts), pmu(facts), ptrace_scope(facts)};
}

} // namespace snapscope
