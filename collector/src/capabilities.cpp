#include <snapscope/collector/capabilities.hpp>

#include <algorithm>
#include <cctype>
#include <memory>
#include <sys/capability.h>

namespace snapscope {
namespace {

struct FreeCapabilities {
    void operator()(cap_t set) const { cap_free(set); }
};
using CapabilitySet = std::unique_ptr<std::remove_pointer_t<cap_t>, FreeCapabilities>;

std::string capitals(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    return text;
}

} // namespace

bool has_capability(const char* name) {
    cap_value_t value = 0;
    if (cap_from_name(name, &value) != 0)
        return false;
    const CapabilitySet set(cap_get_proc());
    cap_flag_value_t state = CAP_CLEAR;
    return set && cap_get_flag(set.get(), value, CAP_EFFECTIVE, &state) == 0 && state == CAP_SET;
}

std::optional<std::string> missing_capability(const std::vector<const char*>& names) {
    for (const char* name : names) {
        if (!has_capability(name))
            return capitals(name);
    }
    return std::nullopt;
}

std::optional<std::string> missing_for_bpf() {
    if (has_capability("cap_sys_admin"))
        return std::nullopt;
    return missing_capability({"cap_bpf", "cap_perfmon"});
}

void keep_only_capabilities(const std::vector<const char*>& keep) {
    const CapabilitySet now(cap_get_proc());
    const CapabilitySet next(cap_init());
    if (!now || !next)
        return;
    for (const char* name : keep) {
        cap_value_t value = 0;
        cap_flag_value_t permitted = CAP_CLEAR;
        if (cap_from_name(name, &value) != 0 || cap_get_flag(now.get(), value, CAP_PERMITTED, &permitted) != 0 ||
            permitted != CAP_SET)
            continue;
        cap_set_flag(next.get(), CAP_PERMITTED, 1, &value, CAP_SET);
        cap_set_flag(next.get(), CAP_EFFECTIVE, 1, &value, CAP_SET);
    }
    cap_set_proc(next.get());
}

struct LoweredCapabilities::Before {
    CapabilitySet set;
};

LoweredCapabilities::LoweredCapabilities() : before_(new Before{CapabilitySet(cap_get_proc())}) {
    const CapabilitySet lowered(cap_get_proc());
    if (lowered && before_->set && cap_clear_flag(lowered.get(), CAP_EFFECTIVE) == 0)
        cap_set_proc(lowered.get());
}

LoweredCapabilities::~LoweredCapabilities() {
    if (before_->set)
        cap_set_proc(before_->set.get());
}

} // namespace snapscope
