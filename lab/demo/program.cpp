#include "program.hpp"

#include <snapscope/base/text.hpp>

#include <csignal>
#include <cstdio>
#include <fmt/format.h>

namespace snapscope::demo {
namespace {

using namespace std::chrono_literals;

constexpr int exit_partial = 3;
constexpr auto program_limit = 180s;
constexpr auto finish_grace = 10s;

std::string last_line(std::string_view output) {
    output = trim(output);
    const auto at = output.rfind('\n');
    return to_utf8(at == std::string_view::npos ? output : output.substr(at + 1));
}

} // namespace

Result<Finished> Program::finish(Command command) const {
    const auto what = command_line(command.argv);
    // It is told to finish first; the servers that it watches stay until then.
    command.death_signal = SIGTERM;
    auto process = Process::start(std::move(command));
    if (!process)
        return fail(process.error());
    const auto deadline = std::chrono::steady_clock::now() + program_limit;
    std::optional<int> status;
    while (!(status = process->wait_for(200ms))) {
        if (stop_.load()) {
            (void)process->stop(SIGINT, finish_grace);
            return fail("interrupted");
        }
        if (std::chrono::steady_clock::now() > deadline) {
            (void)process->stop(SIGTERM, finish_grace);
            return fail(fmt::format("{} did not end within {} s", what, program_limit.count()));
        }
    }
    if (*status != 0 && *status != exit_partial)
        return fail(fmt::format("{} ended with status {}: {}", what, *status, last_line(process->output())));
    return Finished{*status, false, process->output()};
}

Result<Finished> Program::run(std::vector<std::string> words,
                              std::vector<std::pair<std::string, std::string>> environment) const {
    Command command;
    command.argv = std::move(words);
    command.argv.insert(command.argv.begin(), path_.string());
    command.environment = std::move(environment);
    return finish(std::move(command));
}

Status Program::print(std::vector<std::string> words,
                      std::vector<std::pair<std::string, std::string>> environment) const {
    fmt::print("\n$ {} {}\n", path_.filename().string(), command_line(words));
    std::fflush(stdout);
    Command command;
    command.argv = std::move(words);
    command.argv.insert(command.argv.begin(), path_.string());
    command.environment = std::move(environment);
    command.output = Command::Output::inherited;
    const auto finished = finish(std::move(command));
    return finished ? Status{} : Status(fail(finished.error()));
}

} // namespace snapscope::demo
