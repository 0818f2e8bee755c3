#include "each_apart.hpp"

#include "exit.hpp"
#include "interrupt.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace snapscope::cli {
namespace {

constexpr int look_every_ms = 100;
constexpr int exit_killed = 128; // and the signal's number, as shells say it

[[noreturn]] void be_one(const std::function<int()>& work, pid_t parent) {
    // Should the parent be killed: a first one ends it well.
    ::prctl(PR_SET_PDEATHSIG, SIGINT);
    const int code = ::getppid() == parent ? work() : exit_failed;
    std::fflush(nullptr);
    ::_exit(code);
}

int code_of(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : exit_killed + WTERMSIG(status);
}

} // namespace

std::vector<int> run_each_apart(const std::vector<std::function<int()>>& work) {
    const auto& stop = catch_interrupts();
    std::fflush(nullptr); // or each of them would print it again
    const pid_t self = ::getpid();
    std::vector<pid_t> running;
    std::vector<int> codes(work.size(), exit_failed);
    for (const auto& one : work) {
        const pid_t child = ::fork();
        if (child == 0)
            be_one(one, self);
        running.push_back(child);
    }
    bool told = false;
    for (auto left = std::ranges::count_if(running, [](pid_t pid) { return pid > 0; }); left > 0;) {
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, WNOHANG);
        if (const auto found = std::ranges::find(running, ended); ended > 0 && found != running.end()) {
            codes[static_cast<std::size_t>(found - running.begin())] = code_of(status);
            *found = 0;
            --left;
        } else if (ended < 0 && errno != EINTR) {
            break;
        } else {
            ::poll(nullptr, 0, look_every_ms); // a signal cuts it short
        }
        if (stop.load() && !told) {
            told = true;
            for (const pid_t pid : running)
                if (pid > 0)
                    ::kill(pid, SIGTERM);
        }
    }
    return codes;
}

int exit_of_all(const std::vector<int>& codes) {
    const auto all = [&](int code) { return std::ranges::all_of(codes, [code](int one) { return one == code; }); };
    if (all(exit_done))
        return exit_done;
    if (std::ranges::find(codes, exit_interrupted) != codes.end())
        return exit_interrupted;
    return std::ranges::none_of(codes, [](int code) { return code == exit_done || code == exit_partial; })
               ? exit_failed
               : exit_partial;
}

} // namespace snapscope::cli
