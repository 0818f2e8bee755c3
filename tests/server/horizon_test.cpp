// The xmin horizon of cached snapshots: who leaves must not hold it back, and
// who lowers it must be heard.  With snapshot_horizon_max_age = 0 the same
// expectations hold as without a cache; else they hold once that age has passed.

#include "session.hpp"

#include <snapscope/lab/cluster.hpp>

#include <fmt/format.h>
#include <memory>
#include <thread>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;

class HorizonTest : public ServerTest {
  protected:
    void SetUp() override {
        ServerTest::SetUp();
        if (IsSkipped())
            return;
        start({{"max_connections", "150"}, {"snapshot_horizon_max_age", max_age()}});
        Session setup(cluster());
        setup.run("CREATE EXTENSION snapscope_test; CREATE EXTENSION pageinspect;"
                  "CREATE TABLE t (id int PRIMARY KEY, n int) WITH (fillfactor = 40);"
                  "INSERT INTO t VALUES (1, 0)");
        reader_ = std::make_unique<Session>(cluster());
        writer_ = std::make_unique<Session>(cluster());
    }

    void TearDown() override {
        reader_.reset();
        writer_.reset();
        ServerTest::TearDown();
    }

    [[nodiscard]] virtual std::string max_age() const { return "0"; }

    // A repeatable-read transaction that has read, and so holds its xmin.
    std::unique_ptr<Session> holder(const std::string& database = "postgres") const {
        auto session = std::make_unique<Session>(cluster(), database);
        session->run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
        return session;
    }
    void update(int times) {
        for (int i = 0; i < times; ++i)
            writer_->run("UPDATE t SET n = n + 1");
    }
    struct Seen {
        std::int64_t horizon, xmax;
    };
    // What the reader's next snapshot gives.
    Seen look() {
        const auto fields = reader_->row("SELECT recent_global_xmin, xmax FROM snapscope_snapshot()");
        return {std::stoll(fields.at(0)), std::stoll(fields.at(1))};
    }
    // Reads the table, which prunes it as far as the horizon allows.
    std::int64_t line_pointers_after_read() {
        reader_->run("SET enable_indexscan = off; SET enable_bitmapscan = off; SELECT * FROM t");
        return reader_->number("SELECT count(*) FROM heap_page_items(get_raw_page('t', 0)) WHERE lp_flags = 1");
    }
    void follow_feedback() {
        ClusterOptions options;
        options.prefix = patched_prefix();
        options.primary = &cluster();
        options.settings = {{"max_connections", "150"},
                            {"hot_standby_feedback", "off"},
                            {"wal_receiver_status_interval", "1"},
                            {"max_standby_streaming_delay", "-1"}};
        const auto standby = Cluster::start(options);
        ASSERT_TRUE(standby) << standby.error().message();
        Session old(*standby);
        Session admin(*standby);
        const auto holders = [&] { return reader_->number("SELECT count(backend_xmin) FROM pg_stat_replication"); };
        const auto feedback = [&](const std::string& state) {
            admin.run("ALTER SYSTEM SET hot_standby_feedback = " + state);
            admin.run("SELECT pg_reload_conf()");
            while (holders() != (state == "on" ? 1 : 0))
                std::this_thread::sleep_for(20ms);
        };
        old.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
        update(20);
        EXPECT_EQ(look().horizon, look().xmax);
        feedback("on");
        EXPECT_GE(look().xmax - look().horizon, 20);
        feedback("off");
        EXPECT_EQ(look().horizon, look().xmax);
    }
    std::int64_t refreshes() {
        return reader_->number("SELECT coalesce(sum(horizon_refreshes), 0)::int8 FROM pg_stat_snapshot_cache");
    }

    std::unique_ptr<Session> reader_, writer_;
};

TEST_P(HorizonTest, rises_when_the_holder_commits_and_dead_rows_go) {
    auto held_by = holder();
    update(150);
    const auto held = look();
    EXPECT_EQ(held.xmax - held.horizon, 150);
    EXPECT_EQ(line_pointers_after_read(), 151);

    held_by->run("COMMIT");
    const auto after = look();
    EXPECT_EQ(after.horizon, after.xmax);
    EXPECT_EQ(line_pointers_after_read(), 1);
}

TEST_P(HorizonTest, rises_when_the_holder_is_terminated) {
    auto held_by = holder();
    update(10);
    EXPECT_EQ(look().xmax - look().horizon, 10);
    reader_->run(fmt::format("SELECT pg_terminate_backend({})", held_by->pid()));
    const auto gone = fmt::format("SELECT count(*) FROM pg_stat_activity WHERE pid = {}", held_by->pid());
    while (reader_->number(gone) != 0) {
    }
    EXPECT_EQ(look().horizon, look().xmax);
}

TEST_P(HorizonTest, follows_a_holder_that_advances_by_closing_a_cursor) {
    Session held_by(cluster());
    held_by.run("BEGIN; DECLARE older CURSOR FOR SELECT 1");
    update(10);
    held_by.run("DECLARE newer CURSOR FOR SELECT 1");
    update(5);
    EXPECT_EQ(look().xmax - look().horizon, 15);
    held_by.run("CLOSE older");
    EXPECT_EQ(look().xmax - look().horizon, 5);
    held_by.run("COMMIT");
    EXPECT_EQ(look().horizon, look().xmax);
}

TEST_P(HorizonTest, minds_a_holder_in_another_database) {
    writer_->run("CREATE DATABASE other");
    auto held_by = holder("other");
    update(10);
    EXPECT_EQ(look().xmax - look().horizon, 10);
    held_by->run("COMMIT");
    EXPECT_EQ(look().horizon, look().xmax);
}

TEST_P(HorizonTest, belongs_to_the_older_of_two_holders_whoever_leaves_first) {
    for (const bool oldest_first : {true, false}) {
        auto older = holder();
        update(10);
        auto newer = holder();
        update(5);
        EXPECT_EQ(look().xmax - look().horizon, 15);
        (oldest_first ? older : newer)->run("COMMIT");
        EXPECT_EQ(look().xmax - look().horizon, oldest_first ? 5 : 15);
        (oldest_first ? newer : older)->run("COMMIT");
        EXPECT_EQ(look().horizon, look().xmax);
    }
}

TEST_P(HorizonTest, is_refreshed_at_most_once_for_each_of_a_hundred_holders) {
    std::vector<std::unique_ptr<Session>> holders;
    for (int i = 0; i < 100; ++i)
        holders.push_back(holder());
    update(3);
    EXPECT_EQ(look().xmax - look().horizon, 3);
    const auto before = refreshes();
    for (auto& held_by : holders) {
        held_by->run("COMMIT");
        (void)look();
    }
    EXPECT_EQ(look().horizon, look().xmax);
    EXPECT_LE(refreshes() - before, 100);
}

TEST_P(HorizonTest, costs_a_read_only_load_nothing) {
    const auto prepared = run_program(cluster(), {"pgbench", "-i", "-q", "-s", "1"});
    ASSERT_EQ(prepared.status, 0) << prepared.output;
    (void)look(); // wipes and rebuilds are behind us
    const auto before = refreshes();
    const auto load = run_program(cluster(), {"pgbench", "-n", "-S", "-c", "4", "-t", "2000"});
    ASSERT_EQ(load.status, 0) << load.output;
    EXPECT_EQ(refreshes() - before, 0);
}

// A standby that begins to tell what it needs lowers the horizon, without a slot;
// one that stops telling is a holder that leaves.  Both are heard at once, also
// where holders may be waited for.
TEST_P(HorizonTest, follows_the_feedback_of_a_standby) {
    follow_feedback();
}

class BoundedHorizonTest : public HorizonTest {
  protected:
    static constexpr auto bound = 300ms;
    [[nodiscard]] std::string max_age() const override { return std::to_string(bound.count()); }

    // Both look every 20 ms until the horizon has risen, or for ten seconds; the lag in the end.
    void setup_watchers() {
        const std::string look_once = "SELECT xmax::text::int8 - recent_global_xmin::text::int8 INTO lag "
                                      "FROM snapscope_snapshot(); EXIT WHEN lag = 0; PERFORM pg_sleep(0.02);";
        writer_->run("CREATE PROCEDURE watch_in_transactions(INOUT lag int8) LANGUAGE plpgsql AS $$ BEGIN "
                     "FOR i IN 1..500 LOOP COMMIT; " +
                     look_once + " END LOOP; END $$");
        writer_->run("CREATE FUNCTION watch_in_one() RETURNS int8 LANGUAGE plpgsql VOLATILE AS $$ "
                     "DECLARE lag int8; BEGIN FOR i IN 1..500 LOOP " +
                     look_once + " END LOOP; RETURN lag; END $$");
    }
};

TEST_P(BoundedHorizonTest, rises_within_its_age_after_the_holder_left) {
    auto held_by = holder();
    update(150);
    EXPECT_EQ(look().xmax - look().horizon, 150);
    EXPECT_EQ(line_pointers_after_read(), 151);
    held_by->run("COMMIT");
    std::this_thread::sleep_for(bound);
    const auto after = look();
    EXPECT_EQ(after.horizon, after.xmax);
    EXPECT_EQ(line_pointers_after_read(), 1);
}

TEST_P(BoundedHorizonTest, follows_the_feedback_of_a_standby) {
    follow_feedback();
}

// A copy that is older than the bound is not waited for.
TEST_P(BoundedHorizonTest, rises_at_once_when_the_copy_had_aged) {
    auto held_by = holder();
    update(10);
    (void)look();
    std::this_thread::sleep_for(bound + 50ms);
    held_by->run("COMMIT");
    EXPECT_EQ(look().horizon, look().xmax);
}

TEST_P(BoundedHorizonTest, is_looked_for_once_an_age_while_it_is_held) {
    auto held_by = holder();
    update(10);
    (void)look();
    std::this_thread::sleep_for(bound + 50ms);
    const auto before = refreshes();
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(look().xmax - look().horizon, 10);
    EXPECT_LE(refreshes() - before, GetParam() == "off" ? 0 : 2);
}

// Snapshots of one long statement, begun before the horizon was last computed:
// they must find it aged even though their statement's time stands still.
TEST_P(BoundedHorizonTest, rises_within_one_long_statement) {
    setup_watchers();
    for (const char* statement : {"CALL watch_in_transactions(0)", "SELECT watch_in_one()"}) {
        auto held_by = holder();
        update(10);
        Session watcher(cluster());
        watcher.send(statement);
        std::this_thread::sleep_for(2 * bound);
        (void)look(); // too old for a new statement: computed anew, and young again
        held_by->run("COMMIT");
        EXPECT_EQ(watcher.answer(), "0") << statement;
    }
}

// A reload reaches idle sessions at once, a busy one after its statement: readers
// that went over to "exact" would wait for a bump that the holder does not owe.
TEST_P(BoundedHorizonTest, rises_whatever_a_reload_says_meanwhile) {
    Session held_by(cluster());
    held_by.send("SELECT pg_sleep(0.25)");
    while (reader_->number(
               fmt::format("SELECT count(backend_xmin) FROM pg_stat_activity WHERE pid = {}", held_by.pid())) == 0) {
    }
    update(10);
    (void)look();
    reader_->run("ALTER SYSTEM SET snapshot_horizon_max_age = 0");
    reader_->run("SELECT pg_reload_conf()");
    held_by.finish();
    std::this_thread::sleep_for(bound);
    EXPECT_EQ(look().horizon, look().xmax);
}

INSTANTIATE_TEST_SUITE_P(Mode, BoundedHorizonTest, every_mode(), name_of_mode);

INSTANTIATE_TEST_SUITE_P(Mode, HorizonTest, every_mode(), name_of_mode);

} // namespace
} // namespace snapscope::test
