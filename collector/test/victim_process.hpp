// Runs testprogs/victim.cpp under a data folder of its own.
#pragma once

#include "temporary_folder.hpp"

#include <snapscope/base/unique_fd.hpp>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace snapscope::test {

// A program with both ends of its standard streams; killed when its owner goes.
class PipedProcess {
  public:
    explicit PipedProcess(const std::vector<std::string>& arguments) {
        int in[2];
        int out[2];
        if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0)
            throw std::runtime_error("no pipe");
        std::vector<char*> argv;
        for (const auto& argument : arguments)
            argv.push_back(const_cast<char*>(argument.c_str()));
        argv.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(in[0], STDIN_FILENO);
            ::dup2(out[1], STDOUT_FILENO);
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
        ::close(in[0]);
        ::close(out[1]);
        in_.reset(in[1]);
        out_.reset(out[0]);
    }
    PipedProcess(const PipedProcess&) = delete;
    PipedProcess& operator=(const PipedProcess&) = delete;
    PipedProcess(PipedProcess&&) = delete;
    PipedProcess& operator=(PipedProcess&&) = delete;
    ~PipedProcess() {
        if (!status_) {
            ::kill(pid_, SIGKILL);
            wait();
        }
    }

    void send(const std::string& line) const {
        const std::string text = line + "\n";
        if (::write(in_.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
            throw std::runtime_error("the process does not listen");
    }
    // The next line it prints, within 30 s.
    std::string line() {
        for (;;) {
            if (const auto end = pending_.find('\n'); end != std::string::npos) {
                const std::string text = pending_.substr(0, end);
                pending_.erase(0, end + 1);
                return text;
            }
            pollfd ready{out_.get(), POLLIN, 0};
            char chunk[512];
            ssize_t got = 0;
            if (::poll(&ready, 1, 30000) <= 0 || (got = ::read(out_.get(), chunk, sizeof chunk)) <= 0)
                throw std::runtime_error("the process said nothing");
            pending_.append(chunk, static_cast<std::size_t>(got));
        }
    }
    std::string ask(const std::string& command) {
        send(command);
        return line();
    }
    void signal(int number) const { ::kill(pid_, number); }
    // Exit status as a shell states it.
    int wait() {
        int status = 0;
        ::waitpid(pid_, &status, 0);
        status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        return *status_;
    }
    [[nodiscard]] pid_t pid() const { return pid_; }

  private:
    pid_t pid_ = -1;
    UniqueFd in_, out_;
    std::string pending_;
    std::optional<int> status_;
};

class Victim {
  public:
    explicit Victim(const std::vector<std::string>& more = {}) : process_(arguments(folder_.path(), more)) {
        if (process_.line() != "ready")
            throw std::runtime_error("the victim did not start");
    }
    std::string ask(const std::string& command) { return process_.ask(command); }
    [[nodiscard]] pid_t pid() const { return process_.pid(); }
    PipedProcess& process() { return process_; }
    [[nodiscard]] const std::filesystem::path& pgdata() const { return folder_.path(); }

  private:
    static std::vector<std::string> arguments(const std::filesystem::path& folder,
                                              const std::vector<std::string>& more) {
        std::vector<std::string> all{SNAPSCOPE_VICTIM, "-D", folder.string()};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    TemporaryFolder folder_;
    PipedProcess process_;
};

} // namespace snapscope::test
