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
    // snapshot would take the lock and copy in any case.
    auto& server = stage.start({{"snapshot_horizon_max_age", "60000"}});
    Client exporter(server);
    Client writer(server);
    Client importer(server);
    if (!exporter.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1"))
        return false;
    const auto id = exporter.value("SELECT pg_export_snapshot()");
    return id && writer.run("UPDATE t SET n = 1 WHERE id = 1") && look(importer) && sees(importer, 1, 1) &&
           importer.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT '" + *id + "'") &&
           sees(importer, 1, 0) && importer.run("COMMIT") && sees(importer, 1, 1);
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
    };
}

} // namespace snapscope::test
