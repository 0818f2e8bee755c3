// A collector that is killed hard leaves nothing in the server: no breakpoint in
// its text, no raised semaphore, no debug register in use.
#include "remains.hpp"
#include "stock_server.hpp"

#include <snapscope/lab/process.hpp>

#include <csignal>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <thread>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;

using KilledCollector = StockTest;

TEST_P(KilledCollector, LeavesNothingBehind) {
    Session session(cluster());
    const pid_t backend = session.pid();
    const auto clean = remains_in(backend);
    ASSERT_TRUE(clean) << clean.error().message();
    ASSERT_TRUE(clean->none());
    Command command;
    command.argv = {SNAPSCOPE_PROGRAM,
                    "record",
                    "--pid",
                    std::to_string(cluster().pid()),
                    "--source",
                    "ebpf,watch",
                    "--overhead",
                    "100%",
                    "--yes",
                    "-o",
                    (scratch() / "killed.snap").string()};
    auto recorder = Process::start(command);
    ASSERT_TRUE(recorder) << recorder.error().message();
    ASSERT_TRUE(within_seconds(10, [&] {
        session.run("SELECT 1");
        const auto now = remains_in(backend);
        return now && now->altered_bytes > 0 && (!reuses() || now->raised > 0);
    })) << "the probes were never set";
    std::this_thread::sleep_for(500ms); // watchpoints, too
    recorder->send_signal(SIGKILL);
    EXPECT_TRUE(within_seconds(10, [&] { return recorder->wait_for(0ms).has_value(); }));
    expect_nothing_left(session, 10);
}

INSTANTIATE_TEST_SUITE_P(Server, KilledCollector, every_stock_server(), name_of_server);

} // namespace
} // namespace snapscope::test
