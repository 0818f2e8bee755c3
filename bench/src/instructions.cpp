#include "instructions.hpp"

#include "report.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/lab/account.hpp>
#include <snapscope/lab/process.hpp>

#include <array>
#include <fmt/format.h>
#include <fstream>
#include <optional>

namespace snapscope::bench {

namespace {

using namespace std::chrono_literals;

// The total of the nth dump, one for each call of the loop.
std::optional<double> total_of(const std::filesystem::path& folder, int dump) {
    std::ifstream file(folder / fmt::format("callgrind.out.{}", dump));
    for (std::string line; std::getline(file, line);)
        for (const std::string_view key : {"totals: ", "summary: "})
            if (line.starts_with(key))
                return parse_double(trim(std::string_view(line).substr(key.size())));
    return std::nullopt;
}

} // namespace

// The difference of two loop lengths leaves out what surrounds the loop.
Instructions count_instructions(const Server& server, std::size_t idle) {
    const auto work = server.data_folder();
    Command command;
    command.argv = {"/bin/sh",
                    "-c",
                    "rm -f \"$2\"/callgrind.out* && "
                    "printf 'select snapscope_add_idle_procs(%s)\\n"
                    "select snapscope_snapshot_ns(1000, false)\\nselect snapscope_snapshot_ns(3000, false)\\n"
                    "select snapscope_snapshot_ns(1000, true)\\nselect snapscope_snapshot_ns(3000, true)\\n' \"$1\" | "
                    "valgrind --tool=callgrind --callgrind-out-file=\"$2/callgrind.out\" "
                    "--toggle-collect=snapscope_snapshot_loop --dump-after=snapscope_snapshot_loop "
                    "\"$3\" --single -D \"$2\" postgres",
                    "sh",
                    std::to_string(idle),
                    work.string(),
                    (server.prefix() / "bin/postgres").string()};
    auto account = server_account();
    if (!account)
        give_up(account.error().message());
    command.account = *account;
    command.folder = work;
    const auto finished = run_to_end(command, 300s);
    std::array<double, 4> counted{};
    for (int i = 0; i < 4; ++i) {
        const auto total = total_of(work, i + 1);
        if (!total)
            give_up(fmt::format("{}: callgrind counted nothing: {}", server.name(),
                                finished ? finished->output : finished.error().message()));
        counted[static_cast<std::size_t>(i)] = *total;
    }
    return {(counted[1] - counted[0]) / 2000, (counted[3] - counted[2]) / 2000};
}

} // namespace snapscope::bench
