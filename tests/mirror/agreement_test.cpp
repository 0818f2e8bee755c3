// What the mirror sees is what the server says about itself.

#include "mirrored.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <set>
#include <thread>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;

class MirrorAgreement : public MirrorTest {};

std::uint32_t as_xid(const std::string& text) {
    return text.empty() ? 0 : static_cast<std::uint32_t>(std::stoul(text));
}

TEST_P(MirrorAgreement, slots_are_those_of_pg_stat_activity) {
    start();
    std::vector<std::unique_ptr<Session>> sessions;
    for (int i = 0; i < 12; ++i) {
        auto& session = *sessions.emplace_back(std::make_unique<Session>(cluster()));
        switch (i % 4) {
        case 1: // an xmin
            session.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
            break;
        case 2: // an xid
            session.run("BEGIN; SELECT txid_current()");
            break;
        case 3: // both
            session.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT txid_current()");
            break;
        default:
            break;
        }
    }
    const auto server = examine();
    ASSERT_TRUE(server) << server.error().message();
    EXPECT_EQ(server->unproven, "");

    Session asking(cluster());
    const auto ask = [&](int pid) {
        return asking.row(fmt::format("SELECT backend_xid, backend_xmin, datid, usesysid FROM pg_stat_activity "
                                      "WHERE pid = {}",
                                      pid));
    };
    const auto sight = look(*server);
    int with_xmin = 0;
    for (const auto& session : sessions) {
        const auto told = ask(session->pid());
        ASSERT_EQ(told.size(), 4U);
        const auto* proc = sight.proc_of(session->pid());
        const auto* dense = sight.dense_of(session->pid());
        ASSERT_TRUE(proc != nullptr && dense != nullptr);
        EXPECT_EQ(dense->xid, as_xid(told[0]));
        EXPECT_EQ(xmin_of(*server, sight, session->pid()), as_xid(told[1]));
        EXPECT_EQ(proc->database, as_xid(told[2]));
        EXPECT_EQ(proc->role, as_xid(told[3]));
        EXPECT_STREQ(server->anatomy.kind_of(proc->slot), "client");
        with_xmin += told[1].empty() ? 0 : 1;
    }
    EXPECT_EQ(with_xmin, 6);
    // Every process that takes part in the proc array, and nobody else; who has just left may still be in one of the
    // two.
    std::int64_t told = -1;
    std::int64_t seen = -2;
    for (int tries = 0; tries < 200 && told != seen; ++tries) {
        std::this_thread::sleep_for(20ms);
        told = asking.number("SELECT count(*) FROM pg_stat_activity WHERE backend_type IN ('client backend', "
                             "'logical replication launcher', 'walsender', 'background worker')");
        seen = static_cast<std::int64_t>(look(*server).procs.slots.size());
    }
    EXPECT_EQ(seen, told);
}

TEST_P(MirrorAgreement, prepared_transactions_are_seen_and_hold_the_horizon) {
    start();
    Session session(cluster());
    session.run("CREATE TABLE t (i int)");
    session.run("BEGIN; INSERT INTO t VALUES (1); PREPARE TRANSACTION 'held'");
    const auto xid = static_cast<std::uint32_t>(session.number("SELECT transaction FROM pg_prepared_xacts"));
    for (int i = 0; i < 25; ++i)
        session.run("SELECT txid_current()");
    const auto run = watch({}, [](MirrorSource&) { std::this_thread::sleep_for(300ms); });
    const auto server = examine();
    ASSERT_TRUE(server) << server.error().message();
    const auto sight = look(*server);
    const auto* prepared = sight.dense_of(0); // it has no pid
    ASSERT_NE(prepared, nullptr);
    EXPECT_EQ(prepared->xid, xid);
    EXPECT_STREQ(server->anatomy.kind_of(prepared->slot), "prepared transaction");
    EXPECT_GE(prepared->slot, server->anatomy.all_proc_count);
    // The probe session of attaching took two more.
    EXPECT_EQ(total(run, "horizon_age"), 28);
    bool found = false;
    for (const auto& slot : run.slots) {
        if (slot.slot != prepared->slot)
            continue;
        found = true;
        EXPECT_EQ(slot.backend, "prepared transaction");
        EXPECT_FALSE(slot.pid);
        ASSERT_EQ(slot.samples.size(), 1U);
        EXPECT_GT(slot.samples[0].held_horizon.value_or(0), 0U);
        EXPECT_EQ(slot.samples[0].held_horizon, slot.samples[0].xmin_samples);
    }
    EXPECT_TRUE(found);
    session.run("ROLLBACK PREPARED 'held'");
    EXPECT_EQ(look(*server).dense_of(0), nullptr);
}

TEST_P(MirrorAgreement, slots_that_were_left_are_free_whatever_they_hold) {
    start();
    const auto server = examine();
    ASSERT_TRUE(server) << server.error().message();
    std::set<int> gone;
    {
        std::vector<std::unique_ptr<Session>> sessions;
        for (int i = 0; i < 8; ++i)
            gone.insert(sessions.emplace_back(std::make_unique<Session>(cluster()))->pid());
        const auto sight = look(*server);
        for (const int pid : gone)
            EXPECT_NE(sight.proc_of(pid), nullptr);
    }
    Session asking(cluster());
    while (asking.number("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'") > 1)
        std::this_thread::sleep_for(10ms);
    // Their pids are still in the entries that they left.
    int stale = 0;
    for (std::uint32_t slot = 0; slot < server->anatomy.max_connections; ++slot) {
        const auto pid = mirror::load<std::int32_t>(server->image->memory(),
                                                    server->anatomy.all_procs +
                                                        std::uint64_t{slot} * server->anatomy.layout.pgproc_bytes +
                                                        server->anatomy.layout.pid);
        ASSERT_TRUE(pid);
        stale += gone.contains(*pid) ? 1 : 0;
    }
    RecordProperty("stale_pids", stale);
    const auto sight = look(*server);
    for (const int pid : gone)
        EXPECT_EQ(sight.proc_of(pid), nullptr) << pid;
}

TEST_P(MirrorAgreement, counts_2400_transactions_exactly) {
    start();
    Session session(cluster());
    session.run("CREATE TABLE t (i int)");
    const auto run = watch({}, [&](MirrorSource& source) {
        for (int i = 0; i < 1200; ++i)
            session.run("INSERT INTO t VALUES (1)");
        const auto window = source.sample(monotonic_ns());
        EXPECT_EQ(window.at(0), 1200);
        for (int i = 0; i < 1200; ++i)
            session.run("INSERT INTO t VALUES (1)");
    });
    EXPECT_EQ(total(run, "xids_assigned"), 2400);
    EXPECT_EQ(total(run, "latest_completed_advance"), 2400);
    if (GetParam() == 13)
        EXPECT_EQ(total(run, "xid_ends"), std::nullopt) << "13 has no count of them";
    else
        EXPECT_EQ(total(run, "xid_ends"), 2400);
    EXPECT_GT(total(run, "samples").value_or(0), 0);
    EXPECT_EQ(run.sources.front().state, SourceState::active) << run.sources.front().reason;
    EXPECT_EQ(run.sources.front().kind, EvidenceKind::sampled);
}

TEST_P(MirrorAgreement, readers_assign_and_end_nothing) {
    start();
    Session session(cluster());
    const auto run = watch({}, [&](MirrorSource&) {
        for (int i = 0; i < 500; ++i)
            session.run("SELECT 1");
    });
    EXPECT_EQ(total(run, "xids_assigned"), 0);
    EXPECT_EQ(total(run, "latest_completed_advance"), 0);
}

TEST_P(MirrorAgreement, xids_of_subtransactions_and_aborts_are_counted_as_what_they_are) {
    if (GetParam() == 13)
        GTEST_SKIP() << "13 has no count of ends";
    start();
    Session session(cluster());
    session.run("CREATE TABLE t (i int)");
    const auto run = watch({}, [&](MirrorSource&) {
        session.run("BEGIN; INSERT INTO t VALUES (1); SAVEPOINT s; INSERT INTO t VALUES (2); ROLLBACK TO s; COMMIT");
        session.run("BEGIN; INSERT INTO t VALUES (1); ROLLBACK");
    });
    EXPECT_EQ(total(run, "xids_assigned"), 3);
    EXPECT_EQ(total(run, "xid_ends"), 3);
}

TEST_P(MirrorAgreement, who_holds_the_horizon_back_is_named) {
    start();
    Session reader(cluster());
    reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
    Session writer(cluster());
    const auto run = watch({}, [&](MirrorSource&) {
        for (int i = 0; i < 100; ++i)
            writer.run("SELECT txid_current()");
        std::this_thread::sleep_for(500ms);
    });
    EXPECT_GE(total(run, "horizon_age").value_or(0), 100);
    bool found = false;
    for (const auto& slot : run.slots) {
        if (slot.pid != static_cast<std::uint32_t>(reader.pid()))
            continue;
        found = true;
        ASSERT_EQ(slot.samples.size(), 1U);
        EXPECT_GT(slot.samples[0].held_horizon.value_or(0), 0U);
        EXPECT_GE(slot.samples[0].horizon_age.value_or(0), 100U);
        EXPECT_EQ(slot.backend, "client");
        EXPECT_EQ(slot.samples[0].database,
                  static_cast<std::uint32_t>(reader.number("SELECT oid FROM pg_database WHERE datname = 'postgres'")));
    }
    EXPECT_TRUE(found);
}

TEST_P(MirrorAgreement, a_torn_sample_is_never_shown_while_backends_come_and_go) {
    start();
    const auto server = examine();
    ASSERT_TRUE(server) << server.error().message();
    std::atomic<bool> stop{false};
    std::vector<std::thread> churn;
    for (int i = 0; i < 3; ++i)
        churn.emplace_back([&] {
            while (!stop)
                Session(cluster()).run("SELECT txid_current()");
        });
    mirror::DenseReader reader(server->anatomy);
    const auto& dense = reader.seen();
    int whole = 0;
    for (int i = 0; i < 20'000; ++i) {
        ASSERT_TRUE(reader.look(server->image->memory()));
        if (dense.torn == mirror::Torn::roster) {
            EXPECT_TRUE(dense.slots.empty());
            continue;
        }
        ++whole;
        EXPECT_LE(dense.slots.size(), 30U);
        std::set<std::uint32_t> slots;
        for (const auto& slot : dense.slots) {
            EXPECT_TRUE(slots.insert(slot.slot).second);
            EXPECT_TRUE(slot.xid == 0 || mirror::age_of(slot.xid, dense.counters.next_xid) < 1000) << slot.xid;
        }
    }
    stop = true;
    for (auto& thread : churn)
        thread.join();
    EXPECT_GT(whole, 0);
}

INSTANTIATE_TEST_SUITE_P(Version, MirrorAgreement, every_major(), name_of_major);

} // namespace
} // namespace snapscope::test
