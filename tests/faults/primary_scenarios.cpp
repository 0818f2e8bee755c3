// Invalidations on a primary, what a copier leaves out, and what is kept.

#include "scenario.hpp"

namespace snapscope::test {
namespace {

const std::vector<std::string> cached{"copy", "lockfree"};

// Fills the copy with what runs now; two looks, so that it is also kept.
bool look(Client& reader) {
    return reader.run("SELECT 1") && reader.run("SELECT 1");
}

// A commit whose xid is newer than all that run.
bool pass_by(Client& other) {
    return other.run("UPDATE t SET n = n WHERE id = 10");
}

bool sees(Client& reader, int id, int expected) {
    return reader.number("SELECT n FROM t WHERE id = " + std::to_string(id)) == expected;
}

bool commit_is_seen(Stage& stage) {
    auto& server = stage.start({});
    Client writer(server);
    Client reader(server);
    return writer.run("BEGIN; UPDATE t SET n = 1 WHERE id = 1") && look(reader) && sees(reader, 1, 0) &&
           writer.run("COMMIT") && sees(reader, 1, 1);
}

bool commit_prepared_is_seen(Stage& stage) {
    auto& server = stage.start({});
    Client writer(server);
    Client reader(server);
    return writer.run("BEGIN; UPDATE t SET n = 1 WHERE id = 1; PREPARE TRANSACTION 'p'") && look(reader) &&
           sees(reader, 1, 0) && writer.run("COMMIT PREPARED 'p'") && sees(reader, 1, 1);
}

// The copy lists a subxid that no longer runs.
bool subxact_abort_leaves_the_list(Stage& stage) {
    auto& server = stage.start({});
    Client writer(server);
    Client other(server);
    Client reader(server);
    return writer.run("BEGIN; UPDATE t SET n = 1 WHERE id = 1; SAVEPOINT s; UPDATE t SET n = 2 WHERE id = 2") &&
           pass_by(other) && look(reader) && writer.run("ROLLBACK TO s") && sees(reader, 2, 0) &&
           writer.run("COMMIT") && sees(reader, 1, 1);
}

bool own_xid_is_left_out(Stage& stage) {
    auto& server = stage.start({});
    Client writer(server);
    Client other(server);
    return writer.run("BEGIN; UPDATE t SET n = 1 WHERE id = 1") && pass_by(other) && look(writer) &&
           writer.number(
               "SELECT count(*) FROM txid_snapshot_xip(txid_current_snapshot()) x WHERE x = txid_current()") == 0;
}

bool own_subxids_are_left_out(Stage& stage) {
    auto& server = stage.start({});
    Client writer(server);
    Client other(server);
    return writer.run("BEGIN; UPDATE t SET n = 1 WHERE id = 1; SAVEPOINT s; UPDATE t SET n = 2 WHERE id = 2") &&
           pass_by(other) && look(writer) && sees(writer, 2, 2);
}

// An imported snapshot overwrites the arrays; the transaction after it must not
// take them for its own.
bool import_is_forgotten(Stage& stage) {
    // Exactly, the importer's end would say that a holder left, and the next
    // snapshot would take the lock and copy in any case.  The import itself says
    // so, too: another session looks at the horizon before the importer does.
    auto& server = stage.start({{"snapshot_horizon_max_age", "60000"}});
    Client exporter(server);
    Client writer(server);
    Client importer(server);
    if (!exporter.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1"))
        return false;
    const auto id = exporter.value("SELECT pg_export_snapshot()");
    return id && writer.run("UPDATE t SET n = 1 WHERE id = 1") && look(importer) && sees(importer, 1, 1) &&
           importer.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT '" + *id + "'") &&
           sees(importer, 1, 0) && importer.run("COMMIT") && look(writer) && sees(importer, 1, 1);
}

// An importer takes over its source's xmin under the lock, which a source without
// an xid does not need to leave: who computes the horizon between the importer's
// look and its store sees neither.  Verification is off: that such a horizon is
// handed out once is the stock server's own race, that it stays is the fault.
bool import_lowers_the_horizon(Stage& stage) {
    auto& server = stage.start({{"snapshot_cache_verify", "off"}});
    Client exporter(server);
    Client writer(server);
    Client importer(server);
    Client reader(server);
    const auto lag = [&] {
        return reader.number("SELECT xmax::text::int8 - recent_global_xmin::text::int8 FROM snapscope_snapshot()");
    };
    if (!exporter.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1"))
        return false;
    const auto id = exporter.value("SELECT pg_export_snapshot()");
    for (int i = 0; i < 10; ++i)
        if (!writer.run("UPDATE t SET n = n + 1 WHERE id = 1"))
            return false;
    return id && lag() == 10 && importer.run("SET snapshot_cache_pause = 'import'") &&
           importer.run("BEGIN ISOLATION LEVEL REPEATABLE READ") &&
           importer.send("SET TRANSACTION SNAPSHOT '" + *id + "'") && Stage::paused_or_done(reader, importer) &&
           exporter.run("COMMIT") && lag() == 0 && Stage::go_on(reader) && importer.finish() && lag() == 10;
}

} // namespace

std::vector<Scenario> primary_scenarios() {
    return {
        {"ProcArrayEndTransactionInternal", cached, commit_is_seen},
        {"ProcArrayRemove", cached, commit_prepared_is_seen},
        {"XidCacheRemoveRunningXids", cached, subxact_abort_leaves_the_list},
        {"own_xid", cached, own_xid_is_left_out},
        {"own_subxids", cached, own_subxids_are_left_out},
        {"forget", {"lockfree"}, import_is_forgotten},
        {"horizon_lowered", cached, import_lowers_the_horizon},
    };
}

} // namespace snapscope::test
