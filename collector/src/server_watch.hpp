// Whether the postmaster of a recording still runs.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>
#include <snapscope/collector/procfs.hpp>

namespace snapscope {

class ServerWatch {
  public:
    // Fails when it has ended.
    static Result<ServerWatch> start(const ProcFs& proc, pid_t postmaster);

    // Readable in poll() once it has ended.
    [[nodiscard]] int fd() const { return fd_.get(); }
    [[nodiscard]] bool ended() const { return ended_within(0); }
    // Has ended, or shuts down and has told its sessions so.
    [[nodiscard]] bool ending() const;
    [[nodiscard]] pid_t pid() const { return pid_; }

  private:
    ServerWatch(ProcFs proc, pid_t pid, UniqueFd fd) : proc_(std::move(proc)), pid_(pid), fd_(std::move(fd)) {}
    [[nodiscard]] bool ended_within(int limit_ms) const;

    ProcFs proc_;
    pid_t pid_;
    UniqueFd fd_;
};

} // namespace snapscope
