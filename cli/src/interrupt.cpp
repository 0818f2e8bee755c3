#include "interrupt.hpp"

#include "exit.hpp"

#include <array>
#include <climits>
#include <csignal>
#include <unistd.h>

namespace snapscope::cli {
namespace {

std::atomic<bool> requested{false};
std::atomic<bool> unfinished_set{false};
std::array<char, PATH_MAX> unfinished{};
std::atomic<pid_t> group_to_kill{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

// Async-signal-safe: atomics, kill, unlink and _exit only.
extern "C" void on_signal(int signal) {
    if (!requested.exchange(true) || signal != SIGINT)
        return;
    if (const pid_t group = group_to_kill.load(); group > 0)
        ::kill(-group, SIGKILL);
    if (unfinished_set.load())
        ::unlink(unfinished.data());
    ::_exit(exit_interrupted);
}

} // namespace

const std::atomic<bool>& catch_interrupts() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM})
        ::sigaction(signal, &action, nullptr); // no SA_RESTART: a blocking read returns
    struct sigaction hangup {};
    if (::sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) // else: nohup
        ::sigaction(SIGHUP, &action, nullptr);
    return requested;
}

void remove_on_second_interrupt(std::string_view path) {
    unfinished_set.store(false);
    if (path.empty() || path.size() >= unfinished.size())
        return;
    path.copy(unfinished.data(), path.size());
    unfinished[path.size()] = '\0';
    unfinished_set.store(true);
}

void kill_on_second_interrupt(pid_t group) {
    group_to_kill.store(group);
}

} // namespace snapscope::cli
