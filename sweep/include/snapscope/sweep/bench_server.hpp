// What is restarted for each point of a sweep.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/sweep.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace snapscope {

using Environment = std::vector<std::pair<std::string, std::string>>;

class BenchServer {
  public:
    BenchServer() = default;
    BenchServer(const BenchServer&) = delete;
    BenchServer& operator=(const BenchServer&) = delete;
    BenchServer(BenchServer&&) = delete;
    BenchServer& operator=(BenchServer&&) = delete;
    virtual ~BenchServer() = default;

    // Started anew for POINT, and answering.
    [[nodiscard]] virtual Status restart(const SweepPoint& point) = 0;

    // How `snapscope record` finds it, e.g. {"--pid", "812"}.
    [[nodiscard]] virtual std::vector<std::string> target() const = 0;
    // What the load and the login need beside this program's environment.
    [[nodiscard]] virtual Environment environment() const = 0;
    // Holds so many idle connections until the next restart.
    [[nodiscard]] virtual Status hold_idle(std::size_t count) = 0;
};

// A temporary cluster of the PostgreSQL under PREFIX: a point's x (when it is
// max_connections), its mode and its variables that are settings are written
// into its configuration.  PREPARE, a shell command, runs once, with the first
// start (e.g. "pgbench -i -s 20"); empty for none.
struct TemporaryServerOptions {
    std::filesystem::path prefix;
    Environment settings; // of every point
    std::string x;        // max_connections or clients
    std::string prepare;
};
[[nodiscard]] std::unique_ptr<BenchServer> temporary_server(TemporaryServerOptions options);

// A server that its owner restarts: COMMAND is run by the shell, with
// SNAPSCOPE_X, SNAPSCOPE_MODE and SNAPSCOPE_NAME for each variable NAME (upper
// case) in its environment, and must return once the server answers.
struct ExistingServerOptions {
    std::vector<std::string> target; // e.g. {"--port", "5432"}
    std::string command;
    std::chrono::seconds limit{300};
};
[[nodiscard]] std::unique_ptr<BenchServer> existing_server(ExistingServerOptions options);

// What a restart command hears of a point.
[[nodiscard]] Environment variables_for_shell(const SweepPoint& point);

} // namespace snapscope
