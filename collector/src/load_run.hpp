// The load of a recording: a command that runs beside it, and what it said.
#pragma once

#include <snapscope/lab/process.hpp>
#include <snapscope/recording/run.hpp>

#include <array>
#include <poll.h>
#include <string>
#include <vector>

namespace snapscope {

class LoadRun {
  public:
    static Result<LoadRun> start(std::vector<std::string> command);

    // What to wait for, and whether it has ended; takes in what it printed.
    [[nodiscard]] std::array<pollfd, 3> watched() const;
    [[nodiscard]] bool ended() { return process_.wait_for(std::chrono::milliseconds(0)).has_value(); }
    // The group of all its processes.
    [[nodiscard]] pid_t group() const { return process_.pid(); }

    struct End {
        Workload workload; // read as pgbench's where it is pgbench
        std::string output, errors;
        bool failed = false; // by itself; one that is cut short has not
    };
    // Ends it where it still runs, with all that it started.
    [[nodiscard]] End finish();

  private:
    LoadRun(std::vector<std::string> command, Process process);

    std::vector<std::string> command_;
    Process process_;
    std::chrono::steady_clock::time_point start_;
};

} // namespace snapscope
