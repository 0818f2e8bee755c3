#include "process_child.hpp"

#include <snapscope/lab/process.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace snapscope {
namespace {

constexpr std::size_t max_output_bytes = 4U << 20U;
constexpr std::chrono::milliseconds stop_grace{2000};

std::string quoted(const std::string& word) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("-_./,:=@%+").find(c) != std::string_view::npos;
    };
    if (!word.empty() && std::ranges::all_of(word, plain))
        return word;
    std::string out = "'";
    for (const char c : word)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

int shell_status(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// A pipe whose reader never blocks; errno says why not.
bool make_pipe(UniqueFd& reader, UniqueFd& writer) {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return false;
    reader.reset(ends[0]);
    writer.reset(ends[1]);
    return ::fcntl(reader.get(), F_SETFL, O_NONBLOCK) == 0;
}

} // namespace

std::string command_line(const std::vector<std::string>& argv) {
    std::string out;
    for (const auto& word : argv)
        out += (out.empty() ? "" : " ") + quoted(word);
    return out;
}

Result<Process> Process::start(Command command) {
    if (command.argv.empty())
        return fail("no command to run", {}, ErrorClass::usage);
    Process process;
    UniqueFd output; // the child's ends
    UniqueFd errors;
    const bool apart = command.output == Command::Output::apart;
    if ((apart || command.output == Command::Output::captured) && !make_pipe(process.output_.fd, output))
        return fail_errno("cannot make a pipe for " + command.argv[0], errno);
    if (apart && !make_pipe(process.errors_.fd, errors))
        return fail_errno("cannot make a pipe for " + command.argv[0], errno);
    if (command.output == Command::Output::file) {
        output.reset(::open(command.output_file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!output)
            return fail_errno("cannot write " + command.output_file.string(), errno);
    }

    const auto child = child::launch(command, output.get(), apart ? errors.get() : output.get());
    if (!child)
        return fail(child.error());
    process.pid_ = *child;
    process.pidfd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, process.pid_, 0)));
    if (!process.pidfd_)
        return fail_errno("cannot watch " + command.argv[0], errno);
    return process;
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)), output_(std::move(other.output_)),
      errors_(std::move(other.errors_)), status_(other.status_) {}

Process& Process::operator=(Process&& other) noexcept {
    if (this != &other) {
        kill_now();
        pid_ = std::exchange(other.pid_, -1);
        pidfd_ = std::move(other.pidfd_);
        output_ = std::move(other.output_);
        errors_ = std::move(other.errors_);
        status_ = other.status_;
    }
    return *this;
}

void Process::Stream::drain() {
    std::array<char, 16384> buffer{};
    while (fd) {
        const auto got = ::read(fd.get(), buffer.data(), buffer.size());
        if (got > 0) {
            const auto room = max_output_bytes - std::min(max_output_bytes, text.size());
            text.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
        } else if (got < 0 && errno == EINTR) {
            continue;
        } else {
            if (got == 0)
                fd.reset(); // every writer has closed it
            return;
        }
    }
}

void Process::drain() {
    output_.drain();
    errors_.drain();
}

void Process::reap() {
    if (status_ || pid_ <= 0)
        return;
    int status = 0;
    pid_t got = 0;
    do
        got = ::waitpid(pid_, &status, 0);
    while (got < 0 && errno == EINTR);
    if (got == pid_)
        status_ = shell_status(status);
}

// Takes in what the child prints until it has ended (true: it waits to be
// reaped), the time is over, or a signal came for this program, whose caller decides.
bool Process::watch(std::chrono::milliseconds limit) {
    using std::chrono::steady_clock;
    const auto deadline = steady_clock::now() + limit;
    for (;;) {
        drain();
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
        std::array<pollfd, 3> watched{
            {{pidfd_.get(), POLLIN, 0}, {output_.fd.get(), POLLIN, 0}, {errors_.fd.get(), POLLIN, 0}}};
        if (::poll(watched.data(), watched.size(), static_cast<int>(std::clamp<long>(left, 0, 60'000))) < 0)
            return false;
        if (watched[0].revents != 0) {
            drain(); // what it wrote in between
            return true;
        }
        if (left <= 0)
            return false;
    }
}

std::optional<int> Process::wait_for(std::chrono::milliseconds limit) {
    if (!status_ && watch(limit))
        reap();
    return status_;
}

void Process::send_signal(int signal) const noexcept {
    if (pid_ > 0 && !status_)
        ::syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, 0);
}

int Process::stop(int signal, std::chrono::milliseconds grace) {
    using std::chrono::steady_clock;
    if (status_ || pid_ <= 0)
        return status_.value_or(-1);
    ::kill(-pid_, signal);
    const auto deadline = steady_clock::now() + grace;
    while (!watch(std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now())) &&
           steady_clock::now() < deadline) {
    }
    kill_now(); // before the child is reaped: until then the group's number is its own
    drain();
    return status_.value_or(-1);
}

void Process::kill_now() noexcept {
    if (pid_ <= 0 || status_)
        return;
    // The whole group: what the child started must not outlive it.
    if (::kill(-pid_, SIGKILL) != 0)
        ::kill(pid_, SIGKILL);
    reap();
}

Result<Finished> run_to_end(Command command, std::chrono::milliseconds limit) {
    using std::chrono::steady_clock;
    auto process = Process::start(std::move(command));
    if (!process)
        return fail(process.error());
    Finished finished;
    const auto deadline = steady_clock::now() + limit;
    std::optional<int> status;
    while (!status && steady_clock::now() < deadline)
        status = process->wait_for(std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()));
    if (!status) {
        finished.timed_out = true;
        status = process->stop(SIGTERM, stop_grace);
    }
    finished.status = *status;
    finished.output = process->output();
    return finished;
}

} // namespace snapscope
