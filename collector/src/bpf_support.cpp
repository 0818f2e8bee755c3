#include "bpf_support.hpp"

#include <snapscope/collector/capabilities.hpp>

#include <cerrno>
#include <unistd.h>

namespace snapscope {

void silence_libbpf() {
    libbpf_set_print(nullptr);
}

Status check_bpf_rights() {
    if (const auto missing = missing_for_bpf())
        return fail(Error{ErrorClass::unavailable, "no right to load BPF programs: " + *missing + " is missing",
                          "run as root or with CAP_BPF and CAP_PERFMON"});
    if (::access("/sys/kernel/btf/vmlinux", R_OK) != 0)
        return fail(Error{ErrorClass::unavailable, "this kernel has no type information (BTF)",
                          "use a kernel built with CONFIG_DEBUG_INFO_BTF"});
    return {};
}

Error bpf_error(const std::string& what, int error_number) {
    auto error = fail_errno(what, error_number < 0 ? -error_number : error_number).value();
    error.error_class = ErrorClass::unavailable;
    if (error_number == EPERM || error_number == -EPERM)
        error.hint = "the kernel refuses BPF here: look for lockdown or a container's seccomp filter";
    return error;
}

} // namespace snapscope
