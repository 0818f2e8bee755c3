// A measuring tool that runs beside a recording and writes to a pipe: perf, pcm.
//
// It ends by SIGINT and is waited for, so that it gives the hardware's counters
// back; the kernel sends the same signal when this program dies, and the pipe
// breaks.  What it says of itself on stderr is kept: why it cannot measure is
// told in its own words.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/lab/process.hpp>

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

// Where NAME is: in PATH, then where Debian puts it.  A program with more rights
// than its caller does not look into PATH.  Class unavailable, with the PACKAGE that has it.
[[nodiscard]] Result<std::string> find_tool(const std::string& name, const std::string& package);

// What a tool said when it refused: its last line that complains (error, denied,
// busy, ...), else the last that says something; at most 300 bytes.
[[nodiscard]] std::string own_words(std::string_view output);
// All lines of that worth, in order.
[[nodiscard]] std::vector<std::string> complaints_in(std::string_view output);

class ToolChild {
  public:
    using Sink = std::function<void(std::string_view)>;

    static Result<ToolChild> start(std::vector<std::string> argv);

    // Hands what the tool printed on stdout to SINK, waiting at most LIMIT for
    // some.  False once it has closed its output.
    bool pump(std::chrono::milliseconds limit, const Sink& sink);
    // Its exit status as a shell states it; none while it runs.
    [[nodiscard]] std::optional<int> ended() { return process_.wait_for(std::chrono::milliseconds(0)); }
    // SIGINT; what it still prints comes by pump().
    void interrupt() const { process_.send_signal(SIGINT); }
    // SIGINT, and what it still prints to SINK; killed where it has not ended
    // within GRACE.  Its exit status.
    int end(std::chrono::milliseconds grace, const Sink& sink);
    // It did not end by the signal in time.
    [[nodiscard]] bool was_killed() const { return killed_; }
    [[nodiscard]] const std::string& errors() const { return process_.errors(); }
    [[nodiscard]] pid_t pid() const { return process_.pid(); }

  private:
    explicit ToolChild(Process process) : process_(std::move(process)), output_(process_.take_output()) {}
    bool read_some(const Sink& sink);

    Process process_;
    UniqueFd output_;
    bool killed_ = false;
};

struct ToolAnswer {
    int status = 0;
    std::string output, errors;
};
// Runs a tool to its end, for at most 10 s.
[[nodiscard]] Result<ToolAnswer> ask_tool(std::vector<std::string> argv);

} // namespace snapscope
