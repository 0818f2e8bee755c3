#include <snapscope/base/text.hpp>
#include <snapscope/lab/cluster.hpp>
#include <snapscope/lab/idle_connections.hpp>
#include <snapscope/lab/process.hpp>
#include <snapscope/sweep/bench_server.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>

namespace snapscope {
namespace {

using namespace std::chrono_literals;

constexpr auto prepare_limit = 30min;

// Of a point's variables, those that the load or the sweep itself obeys; every
// other one is a setting of the server.
constexpr std::array not_settings = {"clients", "idle", "server"};

std::string last_line(std::string_view output) {
    output = trim(output);
    const auto at = output.rfind('\n');
    return to_utf8(at == std::string_view::npos ? output : output.substr(at + 1));
}

Status run_shell(const std::string& text, Environment environment, std::chrono::milliseconds limit) {
    Command command;
    command.argv = {"/bin/sh", "-c", text};
    command.environment = std::move(environment);
    const auto finished = run_to_end(std::move(command), limit);
    if (!finished)
        return fail(finished.error());
    if (finished->timed_out)
        return fail(fmt::format("'{}' did not end within {} s", text,
                                std::chrono::duration_cast<std::chrono::seconds>(limit).count()));
    if (finished->status != 0)
        return fail(fmt::format("'{}' ended with status {}: {}", text, finished->status, last_line(finished->output)));
    return {};
}

class TemporaryServer : public BenchServer {
  public:
    explicit TemporaryServer(TemporaryServerOptions options) : options_(std::move(options)) {}

    Status restart(const SweepPoint& point) override {
        idle_.reset();
        const auto settings = settings_of(point);
        if (cluster_)
            return cluster_->restart(settings);
        ClusterOptions wanted;
        wanted.prefix = options_.prefix;
        wanted.settings = settings;
        auto cluster = Cluster::start(wanted);
        if (!cluster)
            return fail(cluster.error());
        // Prepared before it is kept: half-prepared data is made again.
        const Environment where = environment_of(*cluster);
        if (!options_.prepare.empty()) {
            SNAPSCOPE_TRY(run_shell(options_.prepare, where, prepare_limit));
            SNAPSCOPE_TRY(cluster->restart(settings));
        }
        cluster_.emplace(std::move(*cluster));
        return {};
    }

    [[nodiscard]] std::vector<std::string> target() const override {
        return {"--pid", std::to_string(cluster_ ? cluster_->pid() : 0)};
    }

    [[nodiscard]] Environment environment() const override {
        return cluster_ ? environment_of(*cluster_) : Environment{};
    }

    Status hold_idle(std::size_t count) override {
        auto idle = IdleConnections::open({cluster_->socket(), cluster_->user(), "postgres"}, count);
        if (!idle)
            return fail(idle.error());
        idle_.emplace(std::move(*idle));
        return {};
    }

  private:
    [[nodiscard]] Environment settings_of(const SweepPoint& point) const {
        Environment settings = options_.settings;
        if (options_.x == "max_connections")
            settings.emplace_back("max_connections", fmt::format("{}", point.x));
        if (!point.mode.empty())
            settings.emplace_back("snapshot_cache", point.mode);
        for (const auto& variable : point.variables)
            if (std::ranges::find(not_settings, variable.name) == not_settings.end())
                settings.emplace_back(variable.name, variable.value);
        return settings;
    }

    // The server's own programs first, pgbench among them.
    [[nodiscard]] Environment environment_of(const Cluster& cluster) const {
        Environment environment = cluster.environment();
        const char* path = std::getenv("PATH");
        environment.emplace_back(
            "PATH", fmt::format("{}:{}", (options_.prefix / "bin").string(), path == nullptr ? "/usr/bin:/bin" : path));
        return environment;
    }

    TemporaryServerOptions options_;
    std::optional<Cluster> cluster_;
    std::optional<IdleConnections> idle_;
};

class ExistingServer : public BenchServer {
  public:
    explicit ExistingServer(ExistingServerOptions options) : options_(std::move(options)) {}

    Status restart(const SweepPoint& point) override {
        return run_shell(options_.command, variables_for_shell(point), options_.limit);
    }
    [[nodiscard]] std::vector<std::string> target() const override { return options_.target; }
    [[nodiscard]] Environment environment() const override { return {}; }
    Status hold_idle(std::size_t /*count*/) override {
        return fail("idle connections are held on temporary servers only", "leave --idle out, or use --server");
    }

  private:
    ExistingServerOptions options_;
};

} // namespace

Environment variables_for_shell(const SweepPoint& point) {
    Environment environment = {{"SNAPSCOPE_X", fmt::format("{}", point.x)}, {"SNAPSCOPE_MODE", point.mode}};
    for (const auto& variable : point.variables) {
        std::string name = variable.name;
        std::ranges::transform(name, name.begin(),
                               [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
        environment.emplace_back("SNAPSCOPE_" + name, variable.value);
    }
    return environment;
}

std::unique_ptr<BenchServer> temporary_server(TemporaryServerOptions options) {
    return std::make_unique<TemporaryServer>(std::move(options));
}

std::unique_ptr<BenchServer> existing_server(ExistingServerOptions options) {
    return std::make_unique<ExistingServer>(std::move(options));
}

} // namespace snapscope
