#include "sql_source.hpp"

#include <snapscope/base/text.hpp>

#include <array>
#include <pwd.h>
#include <sys/stat.h>
#include <thread>

namespace snapscope {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds connect_timeout{3000};
constexpr milliseconds query_timeout{1000};
constexpr milliseconds statistics_age{600}; // PGSTAT_STAT_INTERVAL and some

constexpr const char* settings_sql =
    "SELECT name, current_setting(name) FROM pg_catalog.pg_settings WHERE name IN ('max_connections', "
    "'shared_buffers', 'snapshot_cache', 'huge_pages', 'max_prepared_transactions', 'max_worker_processes', "
    "'autovacuum_max_workers', 'max_wal_senders', 'synchronous_commit', 'fsync', 'wal_level', 'autovacuum', "
    "'default_transaction_isolation', 'server_version', 'server_version_num') ORDER BY name";
constexpr const char* xacts_sql = "SELECT pg_catalog.sum(xact_commit), pg_catalog.sum(xact_rollback) FROM "
                                  "pg_catalog.pg_stat_database";
constexpr const char* backends_sql =
    "SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_activity WHERE backend_type = 'client backend' AND pid <> "
    "pg_catalog.pg_backend_pid()";

struct Owner {
    uid_t id = 0;
    std::string name;
};

std::optional<Owner> owner_of(const std::string& folder) {
    struct stat status {};
    if (folder.empty() || ::stat(folder.c_str(), &status) != 0)
        return std::nullopt;
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 4096> buffer{};
    if (::getpwuid_r(status.st_uid, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr)
        return std::nullopt;
    return Owner{status.st_uid, found->pw_name};
}

} // namespace

Result<SqlConnection> log_in(const ProcFs& proc, const Postmaster& postmaster, const TargetSpec& spec) {
    SqlParameters defaults{{"application_name", "snapscope"}, {"dbname", "postgres"}};
    // The path through procfs also works where the server has a root of its own.
    const auto owner = owner_of(proc.path(postmaster.pid, "cwd").string());
    if (owner)
        defaults["user"] = owner->name;
    if (postmaster.socket_folder)
        defaults["host"] = *postmaster.socket_folder;
    if (postmaster.port)
        defaults["port"] = std::to_string(*postmaster.port);
    auto parameters = merge_parameters(defaults, spec.dsn.value_or(""));
    if (!parameters)
        return fail(parameters.error());
    auto connection =
        SqlConnection::connect(*parameters, owner ? std::optional(owner->id) : std::nullopt, connect_timeout);
    if (!connection)
        return fail(Error{ErrorClass::unavailable, connection.error().what,
                          "run as " + (owner ? owner->name : std::string("the server's owner")) +
                              " or root, or give a login with --dsn"});
    const auto backend = proc.stat(connection->backend_pid());
    if (connection->over_local_socket() && backend && backend->parent != postmaster.pid)
        return fail(Error{ErrorClass::unavailable, "the login reached another server than the one that is meant",
                          "look at PGHOST, PGPORT and --dsn"});
    return connection;
}

Result<std::unique_ptr<SqlSource>> SqlSource::attach(const ProcFs& proc, const Postmaster& postmaster,
                                                     const TargetSpec& spec) {
    auto connection = log_in(proc, postmaster, spec);
    if (!connection)
        return fail(connection.error());
    return std::unique_ptr<SqlSource>(new SqlSource(std::move(*connection)));
}

void SqlSource::describe(Server& server) {
    if (const auto rows = connection_.query(settings_sql, query_timeout)) {
        for (const auto& row : *rows) {
            server.settings.push_back({row[0], row[1]});
            if (row[0] == "server_version")
                server.version = row[1];
            else if (row[0] == "server_version_num")
                server.version_num = parse_integer<std::uint32_t>(row[1]);
            else if (row[0] == "max_connections")
                server.max_connections = parse_integer<std::uint32_t>(row[1]);
        }
    }
    if (const auto rows = connection_.query(backends_sql, query_timeout); rows && !rows->empty())
        server.backends = parse_integer<std::uint32_t>(rows->front()[0]);
}

std::vector<SeriesName> SqlSource::series() const {
    return {{"xacts_committed", "1"}, {"xacts_rolled_back", "1"}};
}

// Before 15 the statistics are a file that may be half a second old: what ended
// before now must not be taken for what happens from now on.
Result<SqlRows> SqlSource::rows(const std::string& sql) {
    return connection_.query(sql, query_timeout);
}

void SqlSource::settle() {
    constexpr int no_statistics_file = 150000;
    if (connection_.server_version() < no_statistics_file && read())
        std::this_thread::sleep_for(statistics_age);
}

std::optional<SqlSource::Xacts> SqlSource::read() {
    if (lost_ || !broken_.empty())
        return std::nullopt;
    const auto rows = connection_.query(xacts_sql, query_timeout);
    if (!rows || rows->empty()) {
        broken_ns_ = monotonic_ns();
        broken_ = rows ? "pg_stat_database is empty" : rows.error().what;
        return std::nullopt;
    }
    const auto committed = parse_integer<std::uint64_t>(rows->front()[0]);
    const auto rolled_back = parse_integer<std::uint64_t>(rows->front()[1]);
    if (!committed || !rolled_back)
        return std::nullopt;
    return Xacts{*committed, *rolled_back};
}

void SqlSource::start(std::int64_t now_ns) {
    start_ns_ = now_ns;
    last_ = read();
    if (last_)
        added_.emplace();
}

std::vector<Value> SqlSource::sample(std::int64_t /*now_ns*/) {
    const auto now = read();
    std::vector<Value> values(2);
    // Statistics that were reset in between go back: from there on no total is known.
    const bool forward = now && last_ && now->committed >= last_->committed && now->rolled_back >= last_->rolled_back;
    if (forward) {
        const Xacts more{now->committed - last_->committed, now->rolled_back - last_->rolled_back};
        values = {static_cast<double>(more.committed), static_cast<double>(more.rolled_back)};
        if (added_) {
            added_->committed += more.committed;
            added_->rolled_back += more.rolled_back;
        }
    } else if (now) {
        added_.reset();
    }
    last_ = now;
    return values;
}

// A shutdown ends sessions first, and itself some time later.
void SqlSource::lose_server() {
    constexpr std::int64_t shutdown_ns = 60'000'000'000;
    lost_ = true;
    if (monotonic_ns() - broken_ns_ < shutdown_ns)
        broken_.clear();
}

void SqlSource::finish(std::int64_t now_ns, Run& run) {
    end_ns_ = now_ns;
    const auto put = [&](const char* name, std::uint64_t Xacts::*field) {
        std::optional<std::int64_t> value;
        if (added_ && broken_.empty())
            value = static_cast<std::int64_t>((*added_).*field);
        run.totals.push_back({name, "sql", "1", value});
    };
    put("xacts_committed", &Xacts::committed);
    put("xacts_rolled_back", &Xacts::rolled_back);
}

SourceStatus SqlSource::status() const {
    SourceStatus status = counted_status("sql", start_ns_, end_ns_);
    if (!broken_.empty())
        status.state = SourceState::degraded;
    status.reason = broken_;
    return status;
}

} // namespace snapscope
