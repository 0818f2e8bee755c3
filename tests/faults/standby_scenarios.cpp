// Invalidations in recovery: what the startup process replays changes what a
// standby's snapshots must say.

#include "scenario.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;

const std::vector<std::string> cached{"copy", "lockfree"};

// COUNT subtransactions that each get an xid.
std::string subtransactions(int count) {
    return "DO $$ BEGIN FOR i IN 1.." + std::to_string(count) +
           " LOOP BEGIN UPDATE t SET n = n + 1 WHERE id = 1; EXCEPTION WHEN division_by_zero THEN NULL; END; END "
           "LOOP; END $$";
}

// Flushes the primary's WAL with a commit, so that the standby knows all xids so far.
bool pass_on(Client& other, Client& reader) {
    return other.run("UPDATE t SET n = n WHERE id = 10") && Stage::in_step(other, reader);
}

bool look(Client& reader) {
    return reader.run("SELECT 1") && reader.run("SELECT 1");
}

bool commit_is_seen(Stage& stage) {
    auto& primary = stage.start({});
    auto& standby = stage.start_standby({});
    Client writer(primary);
    Client other(primary);
    Client reader(standby);
    return writer.run("BEGIN; UPDATE t SET n = 1 WHERE id = 1") && pass_on(other, reader) && look(reader) &&
           writer.run("COMMIT") && Stage::in_step(writer, reader) && reader.number("SELECT n FROM t WHERE id = 1") == 1;
}

// The 64th subxid that was not reported moves them all out of the list.
bool assignment_is_seen(Stage& stage) {
    auto& primary = stage.start({});
    auto& standby = stage.start_standby({});
    Client writer(primary);
    Client other(primary);
    Client reader(standby);
    return writer.run("BEGIN") && writer.run(subtransactions(40)) && pass_on(other, reader) && look(reader) &&
           writer.run(subtransactions(40)) && other.run("SELECT pg_switch_wal()") && Stage::in_step(other, reader) &&
           look(reader) && reader.number("SELECT n FROM t WHERE id = 1") == 0;
}

// A primary that crashed leaves xids that no record ever ends.
bool crash_of_the_primary_ends_its_xids(Stage& stage) {
    auto& primary = stage.start({{"restart_after_crash", "on"}});
    auto& standby = stage.start_standby({{"wal_retrieve_retry_interval", "100"}});
    Client writer(primary);
    Client other(primary);
    Client reader(standby);
    if (!writer.run("BEGIN; UPDATE t SET n = 1 WHERE id = 1") || !pass_on(other, reader) || !look(reader))
        return false;
    ::kill(writer.pid(), SIGKILL);
    // Its recovery ends in a checkpoint; no transaction of its own before the standby has looked.
    for (int attempt = 0; attempt < 200; ++attempt) {
        std::this_thread::sleep_for(50ms);
        Client again(primary);
        if (again.alive())
            return Stage::in_step(again, reader) && look(reader) && reader.number("SELECT n FROM t WHERE id = 1") == 0;
    }
    return false;
}

// Readers all through a promotion, with its windows held open.  The primary has
// left an xid past the last commit, so that the end of recovery moves xmax.
bool promotion_is_seen(Stage& stage) {
    auto& primary = stage.start({});
    auto& standby = stage.start_standby({{"snapshot_cache_delays", "on"}});
    Client writer(primary);
    Client other(primary);
    Client admin(standby);
    if (!pass_on(other, admin) || !writer.run("BEGIN; UPDATE t SET n = 1 WHERE id = 1") ||
        !other.run("SELECT pg_switch_wal()") || !Stage::in_step(other, admin))
        return false;
    std::atomic<bool> stop = false;
    std::atomic<bool> right = true;
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; ++i)
        readers.emplace_back([&] {
            Client reader(standby);
            while (!stop)
                if (reader.number("SELECT n FROM t WHERE id = 1") != 0)
                    right = false;
        });
    const bool promoted = admin.run("SELECT pg_promote(true, 60)") && admin.run("UPDATE t SET n = n WHERE id = 5");
    stop = true;
    for (auto& reader : readers)
        reader.join();
    return promoted && right;
}

// A reader that slept between the publication of its xmin and the second look
// has shown the startup process an xmin that it never used: its query would be
// cancelled for a row that it does not see.  On a standby it must not publish
// without the lock.  Verification is off: it would be the first to tell.
bool no_query_is_cancelled_for_an_xmin_that_was_retracted(Stage& stage) {
    auto& primary = stage.start({});
    auto& standby = stage.start_standby({{"max_standby_streaming_delay", "0"}, {"snapshot_cache_verify", "off"}});
    Client writer(primary);
    Client other(standby);
    Client reader(standby);
    if (!pass_on(writer, other) || !look(other) || !reader.run("SET snapshot_cache_pause = 'published'") ||
        !reader.send("SELECT n FROM t WHERE id = 1"))
        return false;
    return Stage::paused_or_done(other, reader) && writer.run("UPDATE t SET n = 1 WHERE id = 1") &&
           writer.run("VACUUM t") && reader.finish();
}

} // namespace

std::vector<Scenario> standby_scenarios() {
    return {
        {"ExpireTreeKnownAssignedTransactionIds", cached, commit_is_seen},
        {"ProcArrayApplyXidAssignment", cached, assignment_is_seen},
        {"ExpireOldKnownAssignedTransactionIds", cached, crash_of_the_primary_ends_its_xids},
        {"StartupXLOG", cached, promotion_is_seen},
        {"lockfree_in_recovery", {"lockfree"}, no_query_is_cancelled_for_an_xmin_that_was_retracted},
    };
}

} // namespace snapscope::test
