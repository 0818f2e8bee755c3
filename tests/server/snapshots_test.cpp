// What snapshots hold, and what they leave alone, where something else than a
// commit happens around them.

#include "session.hpp"

#include <fmt/format.h>

namespace snapscope::test {
namespace {

class SnapshotsTest : public ServerTest {
  protected:
    void SetUp() override {
        ServerTest::SetUp();
        if (!IsSkipped())
            start({{"max_connections", "50"}});
    }
};

// Of what an extension filled, freed and begins anew in the same place, nothing is remembered.
TEST_P(SnapshotsTest, are_filled_anew_where_one_was_freed) {
    Session session(cluster());
    session.run("CREATE EXTENSION snapscope_test");
    EXPECT_EQ(session.value("SELECT xmax::text FROM snapscope_snapshot()"),
              session.value("SELECT snapscope_refilled_xmax()::text"));
}

// A worker takes over its leader's xmin; only flags that came along would change what others see.
TEST_P(SnapshotsTest, of_parallel_workers_wipe_nothing) {
    Session session(cluster());
    session.run("CREATE TABLE t AS SELECT i FROM generate_series(1, 1000) i; ANALYZE t;"
                "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0");
    const auto wiped = [&] { return session.number("SELECT sum(invalidations)::int8 FROM pg_stat_snapshot_cache"); };
    const auto before = wiped();
    const auto plan = session.value("EXPLAIN (ANALYZE, FORMAT json) SELECT count(*) FROM t");
    EXPECT_NE(plan.find("\"Workers Launched\": "), std::string::npos) << plan;
    EXPECT_EQ(plan.find("\"Workers Launched\": 0"), std::string::npos) << plan;
    EXPECT_EQ(wiped(), before);
}

INSTANTIATE_TEST_SUITE_P(Mode, SnapshotsTest, every_mode(), name_of_mode);

} // namespace
} // namespace snapscope::test
