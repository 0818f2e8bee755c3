// What a snapshot costs by mode and idle connections: ns a GetSnapshotData()
// call (a loop in C, inside the server), its instructions (callgrind, exact),
// and server CPU a transaction under pgbench.  The baseline is the unpatched
// build.  All servers run side by side and take turns within a round, in an
// order that rotates.

#include "report.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/lab/account.hpp>
#include <snapscope/lab/cluster.hpp>
#include <snapscope/lab/idle_connections.hpp>
#include <snapscope/lab/pgbench.hpp>

#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <unistd.h>

namespace snapscope::bench {
namespace {

using namespace std::chrono_literals;

constexpr int rounds = 15;
constexpr int cpu_rounds = 8;
constexpr std::array idle_counts{0, 1000, 2000};

std::filesystem::path prefix_from(const char* variable) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0')
        give_up(fmt::format("{} is not set; run through ./dev bench snapshot", variable));
    return value;
}

struct Server {
    std::string name;
    std::unique_ptr<Cluster> cluster;
    std::filesystem::path prefix;
    std::unique_ptr<IdleConnections> idle;

    [[nodiscard]] std::string query(const std::string& sql) const {
        Command command;
        command.argv = {(prefix / "bin/psql").string(), "-XAtqc", sql};
        command.environment = cluster->environment();
        const auto finished = run_to_end(command, 120s);
        if (!finished || finished->status != 0)
            give_up(fmt::format("{}: {}", name, finished ? finished->output : finished.error().message()));
        return std::string(trim(finished->output));
    }
    [[nodiscard]] double number(const std::string& sql) const {
        const auto parsed = parse_double(query(sql));
        if (!parsed)
            give_up(fmt::format("{}: '{}' did not give a number", name, sql));
        return *parsed;
    }
    void hold_idle(std::size_t count) {
        idle.reset();
        if (count == 0)
            return;
        auto opened = IdleConnections::open({.socket = cluster->socket()}, count);
        if (!opened)
            give_up(fmt::format("{}: {}", name, opened.error().message()));
        idle = std::make_unique<IdleConnections>(std::move(*opened));
    }
    // CPU time of ended backends as the postmaster's children account for it, in us.
    [[nodiscard]] double children_cpu_us() const {
        std::ifstream stat(fmt::format("/proc/{}/stat", cluster->pid()));
        std::string line;
        std::getline(stat, line);
        std::istringstream fields(line.substr(line.rfind(')') + 2));
        std::string skipped;
        for (int i = 0; i < 13; ++i)
            fields >> skipped;
        double user = 0;
        double system = 0;
        fields >> user >> system;
        return (user + system) * 1e6 / static_cast<double>(::sysconf(_SC_CLK_TCK));
    }
};

std::unique_ptr<Server> start(const std::string& name, const std::filesystem::path& prefix) {
    ClusterOptions options;
    options.prefix = prefix;
    options.settings = {{"max_connections", "2100"}, {"autovacuum", "off"}, {"fsync", "off"}};
    if (name != "unpatched")
        options.settings.emplace_back("snapshot_cache", name);
    auto cluster = Cluster::start(options);
    if (!cluster)
        give_up(fmt::format("{}: {}", name, cluster.error().message()));
    auto server = std::make_unique<Server>();
    server->name = name;
    server->prefix = prefix;
    server->cluster = std::make_unique<Cluster>(std::move(*cluster));
    (void)server->query("CREATE EXTENSION snapscope_test");
    return server;
}

using Servers = std::vector<std::unique_ptr<Server>>;

// rounds[server] of `measure`, in an order that rotates from round to round.
std::vector<Rounds> take_turns(const Servers& servers, int count, const std::function<double(const Server&)>& measure) {
    std::vector<Rounds> results(servers.size());
    for (int round = 0; round < count; ++round)
        for (std::size_t turn = 0; turn < servers.size(); ++turn) {
            const auto at = (turn + static_cast<std::size_t>(round)) % servers.size();
            results[at].push_back(measure(*servers[at]));
        }
    return results;
}

// The lowest of short runs: what the host takes away only ever adds.
double snapshot_ns(const Server& server, int loops) {
    return server.number(fmt::format("SELECT min(snapscope_snapshot_ns({})) FROM generate_series(1, 20)", loops));
}

// An ended backend's time is the postmaster's once it has been waited for.
std::size_t children(const Server& server) {
    std::ifstream list(fmt::format("/proc/{0}/task/{0}/children", server.cluster->pid()));
    std::size_t count = 0;
    for (std::string pid; list >> pid;)
        ++count;
    return count;
}

double cpu_us_per_transaction(const Server& server) {
    const auto before_us = server.children_cpu_us();
    const auto backends = children(server);
    Command load;
    const auto script = server.cluster->data_folder().parent_path() / "select1.sql";
    std::ofstream(script) << "SELECT 1;\n";
    load.argv = {
        (server.prefix / "bin/pgbench").string(), "-n", "-M", "prepared", "-c", "2", "-T", "2", "-f", script.string()};
    load.environment = server.cluster->environment();
    const auto workload = run_pgbench(load, 60s);
    if (!workload || !workload->valid || !workload->transactions)
        give_up(fmt::format("{}: pgbench: {}", server.name,
                            workload ? "the run is not valid" : workload.error().message()));
    const auto limit = std::chrono::steady_clock::now() + 10s;
    while (children(server) > backends) {
        if (std::chrono::steady_clock::now() > limit)
            give_up(server.name + ": its backends do not end");
        ::usleep(1000);
    }
    return (server.children_cpu_us() - before_us) / static_cast<double>(*workload->transactions);
}

// Instructions a snapshot, from the difference of two loop lengths in single-user mode.
double instructions(Server& server, int idle) {
    std::array<double, 2> counted{};
    for (const int loops : {1000, 3000}) {
        Command command;
        const auto work = server.cluster->data_folder();
        command.argv = {
            "/bin/sh",
            "-c",
            "printf 'select snapscope_add_idle_procs(%s)\\nselect snapscope_snapshot_ns(%s)\\n' \"$1\" \"$2\" | "
            "valgrind --tool=callgrind --callgrind-out-file=\"$3/callgrind.out\" "
            "--toggle-collect=snapscope_snapshot_loop \"$4\" --single -D \"$3\" postgres",
            "sh",
            std::to_string(idle),
            std::to_string(loops),
            work.string(),
            (server.prefix / "bin/postgres").string()};
        auto account = server_account();
        if (!account)
            give_up(account.error().message());
        command.account = *account;
        command.folder = work;
        const auto finished = run_to_end(command, 300s);
        const auto at = finished ? finished->output.find("Collected : ") : std::string::npos;
        if (at == std::string::npos)
            give_up(fmt::format("{}: callgrind counted nothing: {}", server.name,
                                finished ? finished->output : finished.error().message()));
        const auto text = finished->output.substr(at + 12);
        counted[loops == 1000 ? 0 : 1] = parse_double(text.substr(0, text.find('\n'))).value();
    }
    return (counted[1] - counted[0]) / 2000;
}

void measure(Report& report) {
    const auto patched = prefix_from("SNAPSCOPE_PG_PREFIX");
    Servers servers;
    servers.push_back(start("unpatched", prefix_from("SNAPSCOPE_PG_UNPATCHED_PREFIX")));
    servers.push_back(start("off", patched));
    servers.push_back(start("copy", patched));

    for (const int idle : idle_counts) {
        for (auto& server : servers)
            server->hold_idle(static_cast<std::size_t>(idle));
        const auto label = [&](const Server& server) {
            return std::vector<std::pair<std::string, std::string>>{{"idle", std::to_string(idle)},
                                                                    {"server", server.name}};
        };
        const auto loops = [&](const Server& server) {
            return snapshot_ns(server, idle == 0 || server.name == "copy" ? 5000 : 200);
        };
        const auto ns = take_turns(servers, rounds, loops);
        const auto cpu = take_turns(servers, cpu_rounds, cpu_us_per_transaction);
        for (std::size_t i = 0; i < servers.size(); ++i) {
            report.add_row(label(*servers[i]), "ns a snapshot", ns[i]);
            report.add_row(label(*servers[i]), "us CPU a transaction", cpu[i]);
        }
        report.add_ratio(ratio_of(fmt::format("ns, {} idle, off / unpatched", idle), ns[1], ns[0]));
        report.add_ratio(ratio_of(fmt::format("ns, {} idle, copy / off", idle), ns[2], ns[1]));
        report.add_ratio(ratio_of(fmt::format("CPU, {} idle, off / unpatched", idle), cpu[1], cpu[0]));
        report.add_ratio(ratio_of(fmt::format("CPU, {} idle, copy / unpatched", idle), cpu[2], cpu[0]));
        if (idle == 0) {
            const Servers& same = servers;
            const auto again = take_turns(same, rounds, loops);
            report.set_noise_floor(ns[0], again[0]);
        }
    }

    for (auto& server : servers) {
        server->idle.reset();
        server->cluster->stop();
    }
    for (const int idle : {0, 1000}) {
        const double unpatched = instructions(*servers[0], idle);
        const double off = instructions(*servers[1], idle);
        const double copy = instructions(*servers[2], idle);
        report.note(
            fmt::format("instructions a snapshot, {} idle: unpatched {:.1f}, off {:.1f} ({:+.2f} %), copy {:.1f}", idle,
                        unpatched, off, 100 * (off / unpatched - 1), copy));
    }
}

} // namespace
} // namespace snapscope::bench

int main(int argc, char** argv) {
    return snapscope::bench::run_suite(argc, argv, "snapshot", snapscope::bench::measure);
}
