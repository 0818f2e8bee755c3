#include "run.hpp"

#include "client.hpp"
#include "disturber.hpp"
#include "server_log.hpp"
#include "standby.hpp"

#include <snapscope/lab/cluster.hpp>

#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>

namespace snapscope::torture {

namespace {

using namespace std::chrono_literals;

constexpr int standby_clients = 4;
constexpr int lists_at_once = 200;
constexpr double lists_a_second = 150; // 6000 appends a second

ClusterOptions cluster_options(const Options& options) {
    ClusterOptions cluster;
    cluster.prefix = options.prefix;
    cluster.settings = {
        {"snapshot_cache", options.mode},
        {"snapshot_cache_verify", options.verify ? "on" : "off"},
        {"max_connections", std::to_string(options.clients * 2 + 20)}, // those of a killed client linger
        {"max_prepared_transactions", std::to_string(options.clients * 2 + 10)},
        {"restart_after_crash", "on"},
        {"autovacuum_naptime", "1s"},
        {"autovacuum_vacuum_threshold", "20"},
        {"autovacuum_vacuum_scale_factor", "0.1"},
        {"autovacuum_vacuum_cost_delay", "0"},
        {"deadlock_timeout", "20ms"},
        {"statement_timeout", "30s"}, // nothing waits so long: a client that hangs is a fault
        {"log_line_prefix", log_line_prefix},
        {"log_error_verbosity", "terse"},
        {"log_min_error_statement", "panic"},
        {"max_wal_size", "512MB"},
    };
    const auto add = [&](const auto& settings) {
        cluster.settings.insert(cluster.settings.end(), settings.begin(), settings.end());
    };
    if (options.promote)
        add(primary_settings());
    add(options.settings);
    return cluster;
}

// Rows are wide, so that pages fill and are pruned all the time.
void make_tables(const World& world, int lists) {
    Connection connection(world.conninfo());
    connection.query(fmt::format("CREATE TABLE account (id int PRIMARY KEY, balance int8, filler text);"
                                 "INSERT INTO account SELECT i, {}, repeat('a', 120) FROM generate_series(0, {}) i",
                                 first_balance, accounts - 1));
    connection.query(fmt::format("CREATE TABLE counter (id int PRIMARY KEY, value int8, twin int8, filler text);"
                                 "INSERT INTO counter SELECT i, 0, 0, repeat('c', 1300) FROM generate_series(0, {}) i",
                                 counters - 1));
    connection.query(fmt::format("CREATE TABLE list (key int PRIMARY KEY, items int[] DEFAULT '{{}}');"
                                 "INSERT INTO list SELECT i FROM generate_series(0, {}) i",
                                 lists - 1));
    connection.query(fmt::format("CREATE TABLE scratch (client int PRIMARY KEY, number int8);"
                                 "INSERT INTO scratch SELECT i, 0 FROM generate_series(-3, {}) i",
                                 world.options.clients - 1));
    connection.query("VACUUM ANALYZE");
}

// `standby` may be null.
History run_clients(World& world, pid_t postmaster, const Standby* standby) {
    std::vector<History> standby_histories(standby == nullptr ? 0 : standby_clients);
    std::vector<std::unique_ptr<Client>> clients;
    for (int number = 0; number < world.options.clients; ++number)
        clients.push_back(std::make_unique<Client>(world, number));
    {
        std::vector<std::jthread> threads;
        for (auto& client : clients)
            threads.emplace_back([&client] { client->run(); });
        threads.emplace_back([&world] { change_phases(world); });
        threads.emplace_back([&world] { vacuum_tables(world); });
        for (std::size_t number = 0; number < standby_histories.size(); ++number)
            threads.emplace_back([&, number] {
                standby_histories[number] = read_standby(world, standby->conninfo(), static_cast<int>(number));
            });
        if (standby != nullptr)
            threads.emplace_back(
                [&world, postmaster, standby] { promote_in_the_middle(world, postmaster, standby->conninfo()); });
        if (world.options.kill)
            threads.emplace_back([&world, postmaster] { kill_backends(world, postmaster); });
        const auto end = now_ns() + std::int64_t(world.options.seconds * 1e9);
        while (now_ns() < end && !world.stopping())
            std::this_thread::sleep_for(10ms);
        world.stop();
    }
    History history;
    for (auto& client : clients) {
        auto part = client->take_history();
        std::move(part.begin(), part.end(), std::back_inserter(history));
    }
    for (auto& part : standby_histories)
        std::move(part.begin(), part.end(), std::back_inserter(history));
    return history;
}

// A server that was hit by the last kill takes a moment.
Connection connect_patiently(const World& world) {
    for (int attempt = 0;; ++attempt) {
        try {
            Connection connection(world.conninfo());
            connection.query("SELECT 1");
            return connection;
        } catch (const StatementFailed&) {
            if (attempt == 600)
                throw;
            std::this_thread::sleep_for(100ms);
        }
    }
}

void settle_prepared(Connection& connection) {
    const auto open = connection.query("SELECT gid FROM pg_prepared_xacts");
    for (int row = 0; row < open.count(); ++row)
        connection.query(fmt::format("{} PREPARED '{}'", row % 2 == 0 ? "COMMIT" : "ROLLBACK", open.text(row, 0)));
}

void check_end_state(World& world, Connection& connection) {
    const auto sum = connection.query("SELECT sum(balance)::int8, count(*) FROM account");
    if (sum.number(0, 0) != std::int64_t(accounts) * first_balance || sum.number(0, 1) != accounts)
        world.faults.report("sum", fmt::format("{} in {} accounts at the end", sum.text(0, 0), sum.text(0, 1)));
    const auto rows = connection.query("SELECT id, value FROM counter");
    for (int row = 0; row < rows.count(); ++row) {
        const auto least = world.minima.of(static_cast<int>(rows.number(row, 0)));
        if (rows.number(row, 1) < least)
            world.faults.report("counter", fmt::format("counter {} is {} at the end, and was {}", rows.text(row, 0),
                                                       rows.text(row, 1), least));
    }
}

Verdict check_lists(World& world, Connection& connection, const History& history) {
    FinalLists lists;
    const auto rows = connection.query("SELECT key, items FROM list WHERE items <> '{}'");
    for (int row = 0; row < rows.count(); ++row)
        lists[static_cast<Key>(rows.number(row, 0))] = values_in(rows.text(row, 1));
    auto verdict = check_history(history, lists);
    for (const auto& violation : verdict.violations)
        world.faults.report("history: " + violation.kind, violation.text);
    return verdict;
}

void check_log(World& world, const std::filesystem::path& path) {
    std::ifstream log(path);
    if (!log)
        world.faults.report("log", "cannot be read");
    for (const auto& line : faults_in_log(log, world.counts.kills))
        world.faults.report("log", line);
    if (world.options.keep_log && world.faults.any()) {
        log.clear();
        log.seekg(0);
        std::cerr << log.rdbuf();
    }
}

std::string snapshot_counters(Connection& connection) {
    constexpr const char* names[] = {"taken", "reused",  "rebuilt", "private_scans",    "lockfree",
                                     "kept",  "retries", "gave_up", "horizon_refreshes"};
    std::string text;
    std::string columns;
    for (const auto* name : names)
        columns += fmt::format("{}sum({})::int8", columns.empty() ? "" : ", ", name);
    const auto sums = connection.query("SELECT " + columns + " FROM pg_stat_snapshot_cache");
    for (std::size_t i = 0; i < std::size(names); ++i)
        text += fmt::format(" {} {}", names[i], sums.number(0, static_cast<int>(i)));
    return text;
}

void print_summary(const World& world, double seconds, const History& history, const Verdict& verdict,
                   const std::string& snapshots) {
    const auto& options = world.options;
    const auto& counts = world.counts;
    fmt::print("mode {}, verify {}, seed {}, {} clients, {:.1f} s\n", options.mode, options.verify ? "on" : "off",
               options.seed, options.clients, seconds);
    for (const auto& [name, value] : options.settings)
        fmt::print("  {} = {}\n", name, value);
    fmt::print("  transactions: committed {}, rolled back {}, not serializable {}, deadlocks {}, unknown {}\n",
               counts.committed.load(), counts.undone.load(), counts.serialization_failures.load(),
               counts.deadlocks.load(), counts.unknown.load());
    fmt::print("  reads checked: sums {}, counters {}, lists {}\n", counts.sums.load(), counts.counters.load(),
               counts.lists.load());
    fmt::print("  history: transactions {}, reads {}, dependencies {}, searches cut short {}\n", history.size(),
               verdict.reads, verdict.dependencies, verdict.searches_cut_short);
    fmt::print("  beside: prepared {}, overflowed {}, long readers {}, shared snapshots {}, connections {}, lost {}, "
               "vacuums {}, kills {}\n",
               counts.prepared.load(), counts.overflowed.load(), counts.long_readers.load(),
               counts.shared_snapshots.load(), counts.connections.load(), counts.lost_connections.load(),
               counts.vacuums.load(), counts.kills.load());
    fmt::print("  snapshots:{}\n", snapshots);
    fmt::print("{}\n", world.faults.any() ? fmt::format("{} faults", world.faults.count()) : "no fault");
}

} // namespace

Result<bool> run(const Options& options) {
    auto cluster = Cluster::start(cluster_options(options));
    if (!cluster)
        return fail(cluster.error());
    const int lists = lists_at_once + static_cast<int>(std::ceil(options.seconds * lists_a_second));
    World world(options, cluster->conninfo(), lists);
    try {
        make_tables(world, lists);
    } catch (const StatementFailed& failure) {
        return fail("the tables could not be made: " + failure.message);
    }

    std::optional<Standby> standby;
    if (options.promote) {
        auto started = Standby::start(*cluster, options.prefix);
        if (!started)
            return fail(started.error());
        standby.emplace(std::move(*started));
    }

    world.faults.start_clock();
    const auto begin = now_ns();
    const auto history = run_clients(world, cluster->pid(), standby ? &*standby : nullptr);
    const auto seconds = double(now_ns() - begin) / 1e9;

    Verdict verdict;
    std::string snapshots = " unknown";
    try {
        auto connection = connect_patiently(world);
        settle_prepared(connection);
        snapshots = snapshot_counters(connection);
        check_end_state(world, connection);
        verdict = check_lists(world, connection, history);
    } catch (const StatementFailed& failure) {
        world.faults.report("end", failure.sqlstate + " " + failure.message + " by " + failure.sql);
    }
    if (standby) { // first: a primary waits for it
        standby->stop();
        check_log(world, standby->log_file());
    }
    cluster->stop();
    check_log(world, cluster->log_file());
    print_summary(world, seconds, history, verdict, snapshots);
    return !world.faults.any();
}

} // namespace snapscope::torture
