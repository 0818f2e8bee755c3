// Whether the server of a recording still runs: its postmaster, and the backends
// that it has now.
//
// The checkpointer stands for these.  It lives as long as they may, and a crash
// ends it with all others, some ms later; a shutdown ends it last.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>
#include <snapscope/collector/procfs.hpp>

#include <array>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/stat.h>

namespace snapscope {

// The child of POSTMASTER that its title says to be ROLE, e.g. "checkpointer".
[[nodiscard]] std::optional<pid_t> child_in_role(const ProcFs& proc, pid_t postmaster, std::string_view role);

class ServerWatch {
  public:
    // Fails when it has ended.  Before rights are given up: its folder is opened through procfs.
    static Result<ServerWatch> start(const ProcFs& proc, pid_t postmaster);

    // Readable in poll() once it has ended.
    [[nodiscard]] int fd() const { return process_.get(); }
    // One of them is readable in poll() once gone() is true.
    [[nodiscard]] std::array<pollfd, 2> watched() const;
    [[nodiscard]] bool ended() const { return ended_within(process_, 0); }
    // Has ended, or its backends have: it ends, or begins anew after a crash.
    [[nodiscard]] bool gone() const { return gone_within(0); }
    // Has ended, or shuts down and has told its sessions so, or has crashed.
    [[nodiscard]] bool ending() const;
    [[nodiscard]] pid_t pid() const { return pid_; }
    // Its data folder; none where this user may not look.
    [[nodiscard]] const std::optional<struct stat>& folder() const { return folder_status_; }
    // Postmaster.pid by now, as far as it can be read.
    [[nodiscard]] std::optional<std::string> postmaster_file() const;

  private:
    ServerWatch() = default;
    [[nodiscard]] static bool ended_within(const UniqueFd& process, int limit_ms);
    [[nodiscard]] bool gone_within(int limit_ms) const;

    pid_t pid_ = 0;
    UniqueFd process_;
    UniqueFd checkpointer_; // none where there is none, e.g. yet
    UniqueFd folder_;       // of its data; none where this user may not look
    std::optional<struct stat> folder_status_;
};

} // namespace snapscope
