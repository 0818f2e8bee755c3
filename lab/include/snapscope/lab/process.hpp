// A child process and its owner: no shell, its output kept, gone with its
// owner and with this program.  Used for servers, pgbench and every other
// program that the lab runs.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>
#include <snapscope/lab/account.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace snapscope {

struct Command {
    std::vector<std::string> argv;                                // argv[0]: a path, or a name looked up in PATH
    std::vector<std::pair<std::string, std::string>> environment; // beside what this program has
    std::filesystem::path folder;                                 // to run in; empty: where this program is
    std::optional<Account> account;                               // to change to first; needs root

    enum class Output {
        captured,  // stdout and stderr together: Process::output()
        apart,     // stdout: Process::output(), stderr: Process::errors()
        inherited, // this program's own
        file,      // appended to `output_file`
    };
    Output output = Output::captured;
    std::filesystem::path output_file;
    int death_signal = 9; // sent to the child when the thread that started it ends (0: none)
};

// The command as a person would type it.
[[nodiscard]] std::string command_line(const std::vector<std::string>& argv);

class Process {
  public:
    // The child has a process group of its own: signals of the terminal do not
    // reach it, its owner decides.
    [[nodiscard]] static Result<Process> start(Command command);

    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process() { kill_now(); }

    [[nodiscard]] pid_t pid() const { return pid_; }
    // Readable in poll() when the child has ended, or has printed something; -1 for none.
    [[nodiscard]] int pidfd() const { return pidfd_.get(); }
    [[nodiscard]] int output_fd() const { return output_.fd.get(); }
    [[nodiscard]] int errors_fd() const { return errors_.fd.get(); }
    // The pipe of stdout, for a caller that reads it by itself: it never
    // blocks, and output() stays empty from here on.
    [[nodiscard]] UniqueFd take_output() { return std::move(output_.fd); }

    // Takes in what the child printed, for at most `limit` (0: only what is
    // there), and returns its exit status as a shell states it (128 + signal)
    // once it has ended; none while it runs.
    [[nodiscard]] std::optional<int> wait_for(std::chrono::milliseconds limit);

    // What a captured child printed so far; past 4 MiB the rest is dropped.
    [[nodiscard]] const std::string& output() const { return output_.text; }
    [[nodiscard]] const std::string& errors() const { return errors_.text; }

    void send_signal(int signal) const noexcept;
    // `signal` to the child's whole group; SIGKILL to what is left of it when
    // the child has ended, or has not within `grace`.
    int stop(int signal, std::chrono::milliseconds grace);

  private:
    struct Stream {
        UniqueFd fd;
        std::string text;
        void drain();
    };

    Process() = default;
    void drain();
    bool watch(std::chrono::milliseconds limit);
    void reap();
    void kill_now() noexcept;

    pid_t pid_ = -1;
    UniqueFd pidfd_;
    Stream output_, errors_;
    std::optional<int> status_;
};

struct Finished {
    int status = 0; // as a shell states it
    bool timed_out = false;
    std::string output;
};

// Starts the command and waits for its end; after `limit` it gets SIGTERM.
[[nodiscard]] Result<Finished> run_to_end(Command command, std::chrono::milliseconds limit);

} // namespace snapscope
