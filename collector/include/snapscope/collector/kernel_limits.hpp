// What the kernel itself keeps from observers, whatever server is meant: each
// limit with its value, and, where it stands in the way, of which sources, why,
// and what to do.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace snapscope {

// As found; nullopt: this kernel has no such thing, or does not tell.
struct KernelFacts {
    std::optional<int> perf_event_paranoid;
    std::optional<std::string> lockdown; // "none", "integrity" or "confidentiality"
    bool btf = false;
    std::vector<std::string> filtered_calls; // by seccomp: refused although the right is there
    std::optional<std::string> no_pmu;       // why hardware events do not open
    std::optional<int> ptrace_scope;         // Yama's
    bool can_perfmon = false, can_ptrace = false;
};
// Tries what has to be tried; changes nothing.
[[nodiscard]] KernelFacts kernel_facts();

struct KernelLimit {
    std::string name;
    std::string value;                // empty: not there
    std::vector<std::string> sources; // that it stands in the way of; none: it does not
    std::string reason, hint;         // where it does

    [[nodiscard]] bool limits() const { return !sources.empty(); }
};
// All of them, in a fixed order.  Pure.
[[nodiscard]] std::vector<KernelLimit> kernel_limits(const KernelFacts& facts);

} // namespace snapscope
