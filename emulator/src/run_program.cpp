#include "run_program.hpp"

#include <snapscope/base/text.hpp>

#include <csignal>
#include <fmt/format.h>

namespace snapscope::emulator {
namespace {

using namespace std::chrono_literals;

constexpr auto look_every = 100ms;
constexpr auto grace = 2s;

// The last line that says something; archives' addresses do not belong into reports.
std::string last_line(std::string_view text) {
    std::string out;
    for (const std::string& line : split(text, '\n'))
        if (!trim(line).empty())
            out = trim(line);
    return out.find("://") == std::string::npos ? out : out.substr(0, out.rfind(' ', out.find("://")));
}

} // namespace

tl::unexpected<Error> interrupted() {
    return fail("interrupted", "nothing is left running");
}

Result<std::string> run_program(Command command, std::chrono::seconds limit, const std::atomic<bool>* stop,
                                const std::string& what) {
    command.output = Command::Output::apart;
    command.environment.emplace_back("LC_ALL", "C");
    auto process = Process::start(std::move(command));
    if (!process)
        return fail(process.error());
    const auto deadline = std::chrono::steady_clock::now() + limit;
    for (;;) {
        const auto status = process->wait_for(look_every);
        if (status && *status == 0)
            return process->output();
        if (status)
            return fail(fmt::format("{}: {}", what,
                                    last_line(process->errors().empty() ? process->output() : process->errors())));
        const bool asked = stop != nullptr && stop->load();
        if (!asked && std::chrono::steady_clock::now() < deadline)
            continue;
        process->stop(SIGTERM, grace);
        if (asked)
            return interrupted();
        return fail(fmt::format("{}: not done within {} s", what, limit.count()));
    }
}

} // namespace snapscope::emulator
