// Records a run of one server through the library, until SIGINT:
//   recorder PID OUTPUT.snap [--events] [--yes] [SOURCE...]
// Prints "recording" once windows are written; exits as the program would.
#include <snapscope/collector/record.hpp>

#include <atomic>
#include <csignal>
#include <iostream>

namespace {

std::atomic<bool> stop{false};

extern "C" void on_signal(int) {
    stop = true;
}

} // namespace

int main(int argc, char** argv) {
    struct sigaction action {};
    action.sa_handler = on_signal;
    ::sigaction(SIGINT, &action, nullptr);
    snapscope::RecordOptions options;
    options.target.pid = std::stoi(argv[1]);
    options.output = argv[2];
    options.interval = std::chrono::milliseconds(50);
    options.tool_version = "test";
    for (int i = 3; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--events")
            options.events = true;
        else if (word == "--yes")
            options.yes = true;
        else
            options.sources.push_back(word);
    }
    bool told = false;
    const auto outcome = snapscope::record(options, stop, [&](const snapscope::RecordProgress&) {
        if (!told)
            std::cout << "recording" << std::endl;
        told = true;
    });
    if (!outcome) {
        std::cout << outcome.error().message() << std::endl;
        return 1;
    }
    return outcome->partial ? 3 : 0;
}
