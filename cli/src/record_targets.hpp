// Which servers one `record` is for: --pid, --pgdata or --port, each as often as
// there are servers.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/collector/target.hpp>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace snapscope::cli {

struct RecordTargets {
    std::vector<pid_t> pids;
    std::vector<std::string> pgdata;
    std::vector<std::uint16_t> ports;
    std::optional<std::string> host; // of all ports
    std::optional<std::string> dsn;  // of all servers
};

void add_record_targets(CLI::App& verb, RecordTargets& targets);

// One for each server, in the order of the command line; at least one, which may
// say nothing.  Class usage where they contradict each other.
[[nodiscard]] Result<std::vector<TargetSpec>> target_specs(const RecordTargets& targets);

// As the command line names it: "pid 812", "port 5433", "/srv/pg/data".
[[nodiscard]] std::string name_of(const TargetSpec& spec);

// "x.snap" for the second server: "x-2.snap".
[[nodiscard]] std::filesystem::path numbered(const std::filesystem::path& output, std::size_t number);

} // namespace snapscope::cli
