// The horizon half: who leaves, and what slots hold back.

#include "scenario.hpp"

namespace snapscope::test {
namespace {

const std::vector<std::string> cached{"copy", "lockfree"};

// How many xids the next snapshot's horizon lies behind its xmax.
std::optional<std::int64_t> lag(Client& reader) {
    return reader.number("SELECT xmax::text::int8 - recent_global_xmin::text::int8 FROM snapscope_snapshot()");
}

bool update(Client& writer, int times) {
    for (int i = 0; i < times; ++i)
        if (!writer.run("UPDATE t SET n = n + 1 WHERE id = 1"))
            return false;
    return true;
}

bool rises_with_the_holder(Stage& stage) {
    auto& server = stage.start({});
    Client holder(server);
    Client writer(server);
    Client reader(server);
    return holder.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1") && update(writer, 10) && lag(reader) == 10 &&
           holder.run("COMMIT") && lag(reader) == 0;
}

bool rises_with_a_slot_that_goes(Stage& stage) {
    auto& server = stage.start({{"wal_level", "logical"}});
    Client owner(server);
    Client writer(server);
    Client reader(server);
    return owner.run("SELECT pg_create_logical_replication_slot('s', 'pgoutput')") && update(writer, 10) &&
           lag(reader) >= 10 && owner.run("SELECT pg_drop_replication_slot('s')") && lag(reader) == 0;
}

// A standby that begins to tell what it needs, without a slot, moves the horizon back.
bool falls_with_feedback(Stage& stage) {
    auto& primary = stage.start({});
    auto& standby = stage.start_standby({{"hot_standby_feedback", "off"},
                                         {"wal_receiver_status_interval", "1"},
                                         {"max_standby_streaming_delay", "-1"}});
    Client writer(primary);
    Client reader(primary);
    Client old(standby);
    Client admin(standby);
    if (!old.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1") || !update(writer, 20) || lag(reader) != 0 ||
        !admin.run("ALTER SYSTEM SET hot_standby_feedback = on") || !admin.run("SELECT pg_reload_conf()"))
        return false;
    for (int attempt = 0; attempt < 200; ++attempt) {
        if (reader.number("SELECT count(backend_xmin) FROM pg_stat_replication") == 1)
            return lag(reader) >= 20;
        (void)reader.run("SELECT pg_sleep(0.05)");
    }
    return false;
}

} // namespace

std::vector<Scenario> horizon_scenarios() {
    return {
        {"holder_leaves", cached, rises_with_the_holder},
        {"ProcArraySetReplicationSlotXmin", cached, rises_with_a_slot_that_goes},
        {"horizon_lowered", cached, falls_with_feedback},
    };
}

} // namespace snapscope::test
