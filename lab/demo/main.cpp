// snapscope-demo --prefix PREFIX --snapscope PROGRAM --output FOLDER [--quick]
// Called by ./dev demo, which builds what it needs.

#include "demo.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <string_view>

namespace {

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;
constexpr int exit_interrupted = 130;

std::atomic<bool> stop{false};

void on_signal(int /*signal*/) {
    stop.store(true);
}

void catch_signals() {
    struct sigaction action {};
    action.sa_handler = on_signal; // without SA_RESTART: waits return at once
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        ::sigaction(signal, &action, nullptr);
}

bool parse(int argc, char** argv, snapscope::demo::Options& options) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--quick") {
            options.rounds = 6;
            options.idle = 1000;
            continue;
        }
        if (i + 1 == argc)
            return false;
        const char* value = argv[++i];
        if (word == "--prefix")
            options.prefix = value;
        else if (word == "--snapscope")
            options.snapscope = value;
        else if (word == "--output")
            options.output = value;
        else
            return false;
    }
    return !options.prefix.empty() && !options.snapscope.empty() && !options.output.empty();
}

int run(int argc, char** argv) {
    snapscope::demo::Options options;
    if (!parse(argc, argv, options)) {
        fmt::print(stderr, "usage: snapscope-demo --prefix PREFIX --snapscope PROGRAM --output FOLDER [--quick]\n");
        return exit_usage;
    }
    catch_signals();
    const auto done = snapscope::demo::run(options, stop);
    if (done)
        return 0;
    fmt::print(stderr, "{}\n",
               stop.load() ? "interrupted; the servers are stopped" : "error: " + done.error().message());
    return stop.load() ? exit_interrupted : exit_failed;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return exit_failed;
    }
}
