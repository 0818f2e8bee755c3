// A backend killed hard under load: the server starts over with an empty copy,
// the counters of the memory file go on, and no snapshot is wrong.

#include "session.hpp"

#include <snapscope/lab/process.hpp>

#include <csignal>
#include <fmt/format.h>
#include <thread>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;

class CrashTest : public ServerTest {};

// Waits until the server takes connections again; false after a minute.
bool comes_back(const Cluster& cluster) {
    for (int attempt = 0; attempt < 600; ++attempt) {
        if (PQping(cluster.conninfo().c_str()) == PQPING_OK)
            return true;
        std::this_thread::sleep_for(100ms);
    }
    return false;
}

TEST_P(CrashTest, the_server_comes_back_from_a_backend_killed_under_load) {
    start({{"restart_after_crash", "on"}});
    ASSERT_EQ(run_program(cluster(), {"pgbench", "-i", "-q", "-s", "1"}).status, 0);

    for (int round = 1; round <= 3; ++round) {
        std::int64_t taken_before = 0;
        {
            Command load;
            load.argv = {(patched_prefix() / "bin/pgbench").string(), "-n", "-c", "4", "-T", "30"};
            load.environment = cluster().environment();
            auto running = Process::start(load);
            ASSERT_TRUE(running) << running.error().message();
            Session victim(cluster());
            while (victim.number("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgbench'") < 4) {
            }
            taken_before = victim.number("SELECT sum(taken)::int8 FROM pg_stat_snapshot_cache");
            ASSERT_EQ(::kill(victim.pid(), SIGKILL), 0);
            while (!running->wait_for(1s)) {
            }
        }
        ASSERT_TRUE(comes_back(cluster())) << "round " << round;
        Session after(cluster());
        EXPECT_GT(after.number("SELECT sum(taken)::int8 FROM pg_stat_snapshot_cache"), taken_before);
        EXPECT_EQ(after.number("SELECT count(*) FROM pgbench_branches b WHERE bbalance <> "
                               "(SELECT coalesce(sum(delta), 0) FROM pgbench_history h WHERE h.bid = b.bid)"),
                  0);
    }
    EXPECT_EQ(count_in_log(cluster(), "all server processes terminated; reinitializing"), 3);
}

INSTANTIATE_TEST_SUITE_P(Mode, CrashTest, every_mode(), name_of_mode);

} // namespace
} // namespace snapscope::test
