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
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

// Async-signal-safe: atomics, unlink and _exit only.
extern "C" void on_signal(int) {
    if (!requested.exchange(true))
        return;
    if (unfinished_set.load())
        ::unlink(unfinished.data());
    ::_exit(exit_interrupted);
}

} // namespace

void catch_interrupts() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM})
        ::sigaction(signal, &action, nullptr); // no SA_RESTART: a blocking read returns
}

const std::atomic<bool>& interrupt_requested() {
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

} // namespace snapscope::cli
