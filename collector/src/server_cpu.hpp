// CPU time of a server: the postmaster, its children, and the children that have
// ended.  From procfs, so it costs the server nothing.
#pragma once

#include <snapscope/collector/procfs.hpp>

#include <cstdint>
#include <optional>

namespace snapscope {

class ServerCpu {
  public:
    ServerCpu(ProcFs proc, pid_t postmaster) : proc_(std::move(proc)), postmaster_(postmaster) {}

    // Since the server's start, in ns, to a clock tick a process; nullopt when it has ended.
    [[nodiscard]] std::optional<std::int64_t> read() const;
    // Since the last call; nullopt the first time, or when it cannot be told.
    [[nodiscard]] std::optional<std::int64_t> advance();

  private:
    ProcFs proc_;
    pid_t postmaster_;
    std::optional<std::int64_t> last_;
};

// The ticks of ended children in the text of /proc/PID/stat; nullopt where it has none.
[[nodiscard]] std::optional<std::uint64_t> ended_children_ticks(std::string_view stat);

} // namespace snapscope
