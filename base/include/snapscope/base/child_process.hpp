// The owner of a child process; one that is still running when its owner goes
// is terminated and reaped.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace snapscope {

class ChildProcess {
  public:
    // Runs ARGUMENTS[0], found through PATH, with this process's descriptors 0
    // to 2; default signal handling in the child.
    static Result<ChildProcess> spawn(const std::vector<std::string>& arguments);
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&& other) noexcept;
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    ~ChildProcess();

    [[nodiscard]] pid_t pid() const { return pid_; }
    // Readable in poll() once the child has ended.
    [[nodiscard]] int pidfd() const { return pidfd_.get(); }
    // Its exit status as a shell states it (128 + signal); nullopt while it runs.
    [[nodiscard]] std::optional<int> try_wait();
    // SIGTERM, then SIGKILL after a second; returns the exit status.
    int terminate() noexcept;

  private:
    ChildProcess() = default;

    pid_t pid_ = -1;
    UniqueFd pidfd_;
    std::optional<int> status_;
};

} // namespace snapscope
