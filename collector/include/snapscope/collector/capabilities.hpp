// Linux capabilities of this process: asked for by name, and given up.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace snapscope {

// Effective in this thread, e.g. "cap_bpf".
[[nodiscard]] bool has_capability(const char* name);

// The first of NAMES that is not effective, in capitals: "CAP_BPF".
[[nodiscard]] std::optional<std::string> missing_capability(const std::vector<const char*>& names);

// What loading and attaching BPF programs needs; CAP_SYS_ADMIN stands for both.
[[nodiscard]] std::optional<std::string> missing_for_bpf();

// Gives up every capability of this thread, and of threads it starts later,
// except KEEP; it cannot get them back.
void keep_only_capabilities(const std::vector<const char*>& keep);

} // namespace snapscope
