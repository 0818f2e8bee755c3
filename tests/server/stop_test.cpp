// A server that is shut down under a recorded load: its load fails first, and
// that is not the load's fault.

#include "session.hpp"

#include <snapscope/lab/process.hpp>
#include <snapscope/lab/scratch_folder.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <csignal>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;

class StopTest : public ServerTest {};

TEST_P(StopTest, a_recording_ends_in_part_when_its_server_is_shut_down) {
    for (const int shutdown : {SIGINT, SIGQUIT}) { // fast, immediate
        start();
        ASSERT_EQ(run_program(cluster(), {"pgbench", "-i", "-q", "-s", "1"}).status, 0);
        auto scratch = ScratchFolder::create();
        ASSERT_TRUE(scratch) << scratch.error().message();
        const auto folder = scratch->path() / "run.snap";
        Command record;
        record.argv = {SNAPSCOPE_PROGRAM, "record", "--pid", std::to_string(cluster().pid()), "--source", "ring"};
        const auto pgbench = (patched_prefix() / "bin/pgbench").string();
        record.argv.insert(record.argv.end(), {"-o", folder.string(), "--", pgbench, "-n", "-c", "2", "-T", "300"});
        record.environment = cluster().environment();
        auto running = Process::start(record);
        ASSERT_TRUE(running) << running.error().message();
        {
            Session session(cluster());
            while (session.number("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgbench'") < 2) {
            }
        }
        ASSERT_EQ(::kill(cluster().pid(), shutdown), 0);
        EXPECT_EQ(running->wait_for(60s), 3) << running->output();
        const auto run = read_run(folder);
        ASSERT_TRUE(run) << run.error().message();
        EXPECT_TRUE(run->finished);
    }
}

INSTANTIATE_TEST_SUITE_P(Mode, StopTest, testing::Values("copy"), name_of_mode);

} // namespace
} // namespace snapscope::test
