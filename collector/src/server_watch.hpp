// Whether the postmaster of a recording still runs.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>
#include <snapscope/collector/procfs.hpp>

namespace snapscope {

class ServerWatch {
  public:
    // Fails when it has ended.  Before rights are given up: its folder is opened through procfs.
    static Result<ServerWatch> start(const ProcFs& proc, pid_t postmaster);

    // Readable in poll() once it has ended.
    [[nodiscard]] int fd() const { return process_.get(); }
    [[nodiscard]] bool ended() const { return ended_within(0); }
    // Has ended, or shuts down and has told its sessions so.
    [[nodiscard]] bool ending() const;
    [[nodiscard]] pid_t pid() const { return pid_; }

  private:
    ServerWatch() = default;
    [[nodiscard]] bool ended_within(int limit_ms) const;

    pid_t pid_ = 0;
    UniqueFd process_;
    UniqueFd folder_; // of its data; none where this user may not look
};

} // namespace snapscope
