#include "standby.hpp"

#include "connection.hpp"

#include <snapscope/base/files.hpp>

#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace snapscope::torture {
namespace {

using namespace std::chrono_literals;

constexpr int kept_transactions = 3; // in rows of scratch that no client has

Status make_folder_for(const std::filesystem::path& path, const std::optional<Account>& account) {
    SNAPSCOPE_TRY(create_private_folder(path));
    if (account && ::lchown(path.c_str(), account->uid, account->gid) != 0)
        return fail_errno("cannot give " + path.string() + " to the account " + account->name, errno);
    return {};
}

// Runs SQL again until it is true; false after half a minute.
bool becomes_true(const std::string& conninfo, const std::string& sql) {
    for (int attempt = 0; attempt < 600; ++attempt) {
        try {
            Connection connection(conninfo);
            if (connection.query(sql).text(0, 0) == "t")
                return true;
        } catch (const StatementFailed&) { // still starting
        }
        std::this_thread::sleep_for(50ms);
    }
    return false;
}

} // namespace

std::vector<std::pair<std::string, std::string>> primary_settings() {
    return {
        {"wal_level", "replica"},
        {"max_wal_senders", "4"},
        {"wal_keep_size", "256MB"},
        {"synchronous_commit", "remote_apply"},
        {"hot_standby_feedback", "on"},
        {"wal_receiver_status_interval", "1"},
        {"max_standby_streaming_delay", "-1"},
    };
}

Result<Standby> Standby::start(const Cluster& primary, const std::filesystem::path& prefix) {
    const auto account = server_account();
    if (!account)
        return fail(account.error());
    auto folder = ScratchFolder::create();
    if (!folder)
        return fail(folder.error());
    const auto& path = folder->path();
    SNAPSCOPE_TRY(make_folder_for(path / "data", *account));
    SNAPSCOPE_TRY(make_folder_for(path / "socket", *account));

    Command backup;
    backup.argv = {(prefix / "bin/pg_basebackup").string(), "-D", (path / "data").string(), "-R", "-N", "-c", "fast"};
    backup.environment = primary.environment();
    backup.account = *account;
    backup.folder = path / "data";
    const auto finished = run_to_end(std::move(backup), 120s);
    if (!finished)
        return fail(finished.error());
    if (finished->status != 0)
        return fail("pg_basebackup failed: " + finished->output);
    std::ofstream(path / "data" / "postgresql.conf", std::ios::app) << fmt::format(
        "\nunix_socket_directories = '{}'\nsynchronous_standby_names = ''\n", (path / "socket").string());

    Command command;
    command.argv = {(prefix / "bin/postgres").string(), "-D", (path / "data").string()};
    command.environment = {{"LC_ALL", "C"}};
    command.account = *account;
    command.folder = path / "data";
    command.output = Command::Output::file;
    command.output_file = path / "log";
    command.death_signal = SIGQUIT;
    auto postmaster = Process::start(std::move(command));
    if (!postmaster)
        return fail(postmaster.error());
    Standby standby(std::move(*folder), std::move(*postmaster));
    if (!becomes_true(standby.conninfo(), "SELECT pg_is_in_recovery()"))
        return fail("the standby does not accept connections");
    try {
        Connection connection(primary.conninfo());
        connection.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
        connection.query("SELECT pg_reload_conf()");
    } catch (const StatementFailed& failure) {
        return fail("replication could not be made synchronous: " + failure.message);
    }
    if (!becomes_true(primary.conninfo(), "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'"))
        return fail("the standby does not follow its primary");
    return standby;
}

std::string Standby::conninfo() const {
    return fmt::format("host='{}' user=postgres dbname=postgres", (folder_.path() / "socket").string());
}

void Standby::stop() {
    (void)postmaster_.stop(SIGINT, 20s);
}

namespace {

void prepare_kept(const World& world) {
    Connection connection(world.conninfo());
    for (int kept = 0; kept < kept_transactions; ++kept) {
        connection.query("BEGIN");
        // The first one overflows a cache of subtransactions.
        connection.query(fmt::format("DO $$ BEGIN FOR i IN 1..{} LOOP BEGIN UPDATE scratch SET number = number + 1 "
                                     "WHERE client = {}; EXCEPTION WHEN division_by_zero THEN NULL; END; "
                                     "END LOOP; END $$",
                                     kept == 0 ? 80 : 3, -1 - kept));
        connection.query(fmt::format("PREPARE TRANSACTION 'kept {}'", kept));
    }
}

void end_kept(World& world) {
    Connection connection(world.conninfo());
    const auto untouched = connection.query("SELECT count(*) FROM scratch WHERE client < 0 AND number <> 0");
    if (untouched.number(0, 0) != 0)
        world.faults.report("promotion", "what is prepared is seen after it");
    for (int kept = 0; kept < kept_transactions; ++kept)
        connection.query(fmt::format("COMMIT PREPARED 'kept {}'", kept));
    const auto rows = connection.query("SELECT sum(number)::int8 FROM scratch WHERE client < 0");
    if (rows.number(0, 0) != 80 + 3 * (kept_transactions - 1))
        world.faults.report("promotion",
                            "what was prepared before and committed after it adds up to " + rows.text(0, 0));
}

} // namespace

void promote_in_the_middle(World& world, pid_t primary, const std::string& standby) {
    const auto middle = now_ns() + std::int64_t(world.options.seconds / 2 * 1e9);
    while (now_ns() < middle && !world.stopping())
        std::this_thread::sleep_for(5ms);
    if (world.stopping())
        return;
    try {
        prepare_kept(world);
        ::kill(primary, SIGQUIT); // at once, with its clients
        ++world.counts.kills;
        Connection connection(standby);
        if (connection.query("SELECT pg_promote(true, 60)").text(0, 0) != "t")
            world.faults.report("promotion", "it took more than a minute");
        world.move_to(standby);
        end_kept(world);
    } catch (const StatementFailed& failure) {
        world.faults.report("promotion", failure.sqlstate + " " + failure.message + " by " + failure.sql);
    }
}

} // namespace snapscope::torture
