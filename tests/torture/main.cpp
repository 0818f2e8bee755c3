// snapscope_torture: many clients against one server, for a while, and whether
// anything that they saw could not be.  Exit 0: no fault; 1: a fault; 3: it could
// not run; 77: there is no such server; else: usage.

#include "run.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/lab/process.hpp>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fmt/format.h>

namespace {

using namespace snapscope;

constexpr int exit_cannot_run = 3;
constexpr int exit_no_server = 77;

// SNAPSCOPE_PG_PREFIX, or of the build with faults SNAPSCOPE_PG_FAULTS_PREFIX;
// else what was built from this checkout; else empty.
std::filesystem::path find_prefix(bool faults) {
    const char* named = std::getenv(faults ? "SNAPSCOPE_PG_FAULTS_PREFIX" : "SNAPSCOPE_PG_PREFIX");
    if (named != nullptr && *named != '\0')
        return named;
    Command command;
    command.argv = {SNAPSCOPE_SOURCE_DIR "/patched-pg/build/build.sh", "--where"};
    if (faults)
        command.argv.emplace_back("--faults");
    const auto built = run_to_end(command, std::chrono::seconds(20));
    return built && built->status == 0 ? std::filesystem::path(trim(built->output)) : std::filesystem::path{};
}

} // namespace

int main(int argc, char** argv) {
    torture::Options options;
    bool faults = false;
    bool expect_fault = false;
    std::string mutant;
    std::vector<std::string> settings;

    CLI::App app("Many clients against one patched PostgreSQL, and a check of all that they saw", "snapscope_torture");
    app.add_option("--prefix", options.prefix, "the server; else SNAPSCOPE_PG_PREFIX, else what is built");
    app.add_flag("--faults", faults, "the build with faults: SNAPSCOPE_PG_FAULTS_PREFIX, else what is built");
    app.add_option("--mode", options.mode, "snapshot_cache");
    app.add_option("--clients", options.clients)->check(CLI::Range(2, 500));
    app.add_option("--seconds", options.seconds)->check(CLI::Range(0.1, 86400.0));
    app.add_option("--seed", options.seed);
    app.add_flag("--verify", options.verify, "snapshot_cache_verify");
    app.add_flag("--kill", options.kill, "kill -9 a backend now and then");
    app.add_option("--kill-interval", options.kill_interval, "seconds")->check(CLI::Range(0.1, 3600.0));
    app.add_flag("--promote", options.promote, "a standby with readers, promoted in the middle under load")
        ->excludes("--kill"); // a crash makes visible what no standby has acknowledged
    app.add_option("--mutant", mutant, "snapshot_cache_mutant, with --faults");
    app.add_option("--set", settings, "NAME=VALUE, another setting of the server");
    app.add_flag("--expect-fault", expect_fault, "exit 0 for a fault and 1 for none: a broken server must be found");
    app.add_flag("--keep-log", options.keep_log, "print the server's log after a fault");
    CLI11_PARSE(app, argc, argv);

    if (!mutant.empty())
        options.settings.emplace_back("snapshot_cache_mutant", mutant);
    for (const auto& setting : settings) {
        const auto equals = setting.find('=');
        if (equals == std::string::npos) {
            fmt::print(stderr, "--set wants NAME=VALUE, not {}\n", setting);
            return 2;
        }
        options.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
    }
    if (options.prefix.empty())
        options.prefix = find_prefix(faults);
    if (options.prefix.empty()) {
        fmt::print(stderr, "no such PostgreSQL is built; patched-pg/build/build.sh{} builds it\n",
                   faults ? " --faults" : "");
        return exit_no_server;
    }
    try {
        const auto clean = torture::run(options);
        if (!clean) {
            fmt::print(stderr, "{}\n", clean.error().message());
            return exit_cannot_run;
        }
        return *clean != expect_fault ? 0 : 1;
    } catch (const std::exception& unexpected) {
        fmt::print(stderr, "{}\n", unexpected.what());
        return exit_cannot_run;
    }
}
