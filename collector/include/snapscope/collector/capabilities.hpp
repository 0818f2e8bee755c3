// Linux capabilities of this process: asked for by name, and given up.
#pragma once

#include <memory>
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

// While it lives no capability is effective in this thread: for what reads files
// that the environment names.  They come back with its end.
class LoweredCapabilities {
  public:
    LoweredCapabilities();
    LoweredCapabilities(const LoweredCapabilities&) = delete;
    LoweredCapabilities& operator=(const LoweredCapabilities&) = delete;
    LoweredCapabilities(LoweredCapabilities&&) = delete;
    LoweredCapabilities& operator=(LoweredCapabilities&&) = delete;
    ~LoweredCapabilities();

  private:
    struct Before;
    std::unique_ptr<Before> before_;
};

} // namespace snapscope
