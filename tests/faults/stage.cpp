#include "scenario.hpp"

#include <snapscope/base/files.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>

namespace snapscope::test {

using namespace std::chrono_literals;

Cluster& Stage::start_with(const Settings& settings, const Cluster* primary) {
    ClusterOptions options;
    options.prefix = prefix_;
    options.primary = primary;
    options.settings = {
        {"snapshot_cache", mode_},           {"snapshot_cache_verify", "on"}, {"snapshot_cache_mutant", mutant_},
        {"snapshot_horizon_max_age", "0"},   {"autovacuum", "off"},           {"max_connections", "40"},
        {"max_prepared_transactions", "10"}, {"restart_after_crash", "off"}};
    options.settings.insert(options.settings.end(), settings.begin(), settings.end());
    auto cluster = Cluster::start(options);
    if (!cluster)
        throw std::runtime_error(cluster.error().message());
    clusters_.push_back(std::make_unique<Cluster>(std::move(*cluster)));
    return *clusters_.back();
}

Cluster& Stage::start(const Settings& settings) {
    auto& cluster = start_with(settings, nullptr);
    Client setup(cluster);
    setup.run("CREATE EXTENSION snapscope_test");
    setup.run("CREATE TABLE t (id int PRIMARY KEY, n int) WITH (fillfactor = 40)");
    setup.run("INSERT INTO t SELECT i, 0 FROM generate_series(1, 10) i");
    return cluster;
}

Cluster& Stage::start_standby(const Settings& settings) {
    auto& standby = start_with(settings, clusters_.front().get());
    Client primary(*clusters_.front());
    Client reader(standby);
    if (!in_step(primary, reader))
        throw std::runtime_error("the standby does not follow");
    return standby;
}

bool Stage::in_step(Client& primary, Client& standby) {
    const auto flushed = primary.value("SELECT pg_current_wal_flush_lsn()");
    if (!flushed)
        return false;
    for (int attempt = 0; attempt < 600; ++attempt) {
        const auto there = standby.value("SELECT pg_last_wal_replay_lsn() >= '" + *flushed + "'");
        if (!there)
            return false;
        if (*there == "t")
            return true;
        std::this_thread::sleep_for(20ms);
    }
    return false;
}

bool Stage::paused_or_done(Client& observer, const Client& session) {
    const auto there =
        fmt::format("SELECT count(*) FROM pg_stat_activity WHERE pid = {} AND wait_event = 'PgSleep'", session.pid());
    for (int attempt = 0; attempt < 500 && session.busy(); ++attempt) {
        if (observer.number(there) == 1)
            return true;
        std::this_thread::sleep_for(20ms);
    }
    return !session.busy();
}

std::string Stage::complaint() const {
    for (const auto& cluster : clusters_) {
        const auto log = read_file(cluster->log_file(), 64U << 20U);
        if (!log)
            return log.error().message();
        for (const char* word : {"snapshot cache:", "TRAP:"})
            if (const auto at = log->find(word); at != std::string::npos)
                return log->substr(at, log->find('\n', at) - at);
    }
    return {};
}

} // namespace snapscope::test
