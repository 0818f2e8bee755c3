// The program on a terminal of its own: what it writes, keys, sizes, and the
// terminal's settings before and after.
#pragma once

#include <snapscope/base/unique_fd.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace snapscope::test {

class OnTerminal {
  public:
    OnTerminal(const std::vector<std::string>& words, const std::string& term, unsigned short rows = 40,
               unsigned short columns = 120) {
        master_.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
        if (!master_ || ::grantpt(master_.get()) != 0 || ::unlockpt(master_.get()) != 0)
            throw std::runtime_error("no pseudo terminal");
        const std::string name = ::ptsname(master_.get());
        side_.reset(::open(name.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
        resize(rows, columns);
        before_ = settings();
        std::vector<char*> argv;
        for (const auto& word : words)
            argv.push_back(const_cast<char*>(word.c_str()));
        argv.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ != 0)
            return;
        ::setsid();
        const int terminal = ::open(name.c_str(), O_RDWR); // becomes the controlling one
        for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
            ::dup2(terminal, fd);
        ::setenv("TERM", term.c_str(), 1);
        ::setenv("LC_ALL", "C.UTF-8", 1);
        ::unsetenv("LINES");
        ::unsetenv("COLUMNS");
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    OnTerminal(const OnTerminal&) = delete;
    OnTerminal& operator=(const OnTerminal&) = delete;
    OnTerminal(OnTerminal&&) = delete;
    OnTerminal& operator=(OnTerminal&&) = delete;
    ~OnTerminal() {
        if (!ended_) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
    }

    void press(const std::string& keys) const {
        if (::write(master_.get(), keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
            throw std::runtime_error("the terminal takes no keys");
    }
    void signal(int number) const { ::kill(pid_, number); }
    void resize(unsigned short rows, unsigned short columns) const {
        const winsize size{rows, columns, 0, 0};
        ::ioctl(master_.get(), TIOCSWINSZ, &size);
    }
    void forget() { seen_.clear(); }
    [[nodiscard]] const std::string& seen() const { return seen_; }
    // Whether TEXT is written, since forget(), within 60 s.
    bool shows(const std::string& text) {
        for (const auto end = deadline(); Clock::now() < end;) {
            if (seen_.find(text) != std::string::npos)
                return true;
            take(100);
        }
        return false;
    }
    // The same for a screen that is there already, of which only changes would be
    // written: it is asked for as a whole (Ctrl-L), again and again.
    bool now_shows(const std::string& text) {
        for (const auto end = deadline(); Clock::now() < end;) {
            seen_.clear();
            press("\x0c");
            std::this_thread::sleep_for(std::chrono::milliseconds(50)); // the whole of it, not its first bytes
            take(200);
            if (seen_.find(text) != std::string::npos)
                return true;
        }
        return false;
    }
    // Exit status as a shell states it; -1: it did not end within 60 s.
    int wait() {
        for (const auto end = deadline(); Clock::now() < end;) {
            take(100);
            int status = 0;
            if (::waitpid(pid_, &status, WNOHANG) != pid_)
                continue;
            ended_ = true;
            take(0);
            return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        }
        return -1;
    }
    // Echo, lines and signal keys as they were at first.
    [[nodiscard]] bool restored() const {
        const termios now = settings();
        return now.c_lflag == before_.c_lflag && now.c_iflag == before_.c_iflag && now.c_oflag == before_.c_oflag &&
               std::memcmp(now.c_cc, before_.c_cc, sizeof now.c_cc) == 0;
    }
    [[nodiscard]] bool echoes() const { return (settings().c_lflag & ECHO) != 0; }

  private:
    using Clock = std::chrono::steady_clock;
    [[nodiscard]] static Clock::time_point deadline() { return Clock::now() + std::chrono::seconds(60); }
    [[nodiscard]] termios settings() const {
        termios out{};
        ::tcgetattr(side_.get(), &out);
        return out;
    }
    void take(int wait_ms) {
        pollfd ready{master_.get(), POLLIN, 0};
        std::array<char, 4096> chunk{};
        while (::poll(&ready, 1, wait_ms) > 0) {
            const ssize_t got = ::read(master_.get(), chunk.data(), chunk.size());
            if (got <= 0)
                return;
            seen_.append(chunk.data(), static_cast<std::size_t>(got));
            wait_ms = 0;
        }
    }

    UniqueFd master_, side_;
    termios before_{};
    pid_t pid_ = -1;
    bool ended_ = false;
    std::string seen_;
};

} // namespace snapscope::test
