// Probes that are set in other processes: set and taken off so that not even a
// SIGKILL leaves a breakpoint there (sheltered.hpp).
#pragma once

#include "bpf_support.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace snapscope {

class ProbeLinks {
  public:
    ProbeLinks() = default;
    ProbeLinks(const ProbeLinks&) = delete;
    ProbeLinks& operator=(const ProbeLinks&) = delete;
    ProbeLinks(ProbeLinks&&) = delete;
    ProbeLinks& operator=(ProbeLinks&&) = delete;
    ~ProbeLinks() { clear(); }

    // ATTACH is one of libbpf's functions; null and errno: "cannot attach to WHAT".
    Status add(const std::string& what, const std::function<bpf_link*()>& attach);
    // Of probes in this process alone, which goes with it.
    Status add_own(const std::string& what, const std::function<bpf_link*()>& attach);
    // Takes all off; waits for those under way.
    void clear();
    [[nodiscard]] bool empty() const { return links_.empty(); }

  private:
    Status keep(const std::string& what, bpf_link* link, int error);

    std::vector<std::unique_ptr<bpf_link, DestroyLink>> links_;
};

} // namespace snapscope
