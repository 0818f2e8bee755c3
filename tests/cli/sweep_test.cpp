// A sweep of small points on real servers: the patched build from the cache, or
// any that SNAPSCOPE_PG_PREFIX names.
#include "program.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/recording/run_folder.hpp>
#include <snapscope/recording/sweep.hpp>

#include <cstdlib>
#include <set>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

std::string find_prefix() {
    if (const char* named = std::getenv("SNAPSCOPE_PG_PREFIX"); named != nullptr && *named != '\0')
        return named;
    Command command;
    command.argv = {SNAPSCOPE_SOURCE_DIR "/patched-pg/build/build.sh", "--where"};
    const auto built = run_to_end(command, 20s);
    return built && built->status == 0 ? std::string(trim(built->output)) : std::string();
}

class SweepUsage : public ProgramTest {
  protected:
    void refused(const Words& words, const std::string& why) const {
        const auto outcome = run(words);
        EXPECT_EQ(outcome.status, 2) << command_line(words) << "\n" << outcome.err;
        EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr(why)) << command_line(words);
    }
};

TEST_F(SweepUsage, WhatCannotBePlannedIsRefusedBeforeAnyServerStarts) {
    refused({"sweep", "--server", "/x", "-o", "a.sweep", "--", "true"}, "nothing is swept");
    refused({"sweep", "--max-connections", "200", "-o", "a.sweep", "--", "true"}, "restarts a server");
    refused({"sweep", "--server", "/x", "--restart", "r", "--max-connections", "200", "-o", "a.sweep", "--", "true"},
            "either --server");
    refused({"sweep", "--server", "/x", "--max-connections", "200:100:5", "-o", "a.sweep", "--", "true"}, "ascends");
    refused(
        {"sweep", "--server", "/x", "--max-connections", "200", "--mode", "off,,copy", "-o", "a.sweep", "--", "true"},
        "--mode off,,copy");
    refused({"sweep", "--server", "/x", "--max-connections", "200", "-o", "a.snap", "--", "true"},
            "no name of a sweep");
    refused({"sweep", "--server", "/x", "--max-connections", "200", "--", "true"}, "-o is missing");
    refused({"sweep", "--server", "/x", "--max-connections", "200", "--idle", "fill", "-o", "a.sweep", "--", "true"},
            "--idle fill needs");
    refused({"sweep", "--server", "/x", "--max-connections", "200", "-o", "a.sweep"}, "LOAD");
    EXPECT_THAT(names(), IsEmpty());
}

TEST_F(SweepUsage, ADryRunPrintsThePlanOfItsSeedAndStartsNothing) {
    const Words words{
        "sweep", "--server", "/nowhere", "--max-connections", "200:400:100", "--mode",  "off,copy", "--repeat",
        "2",     "--seed",   "5",        "--dry-run",         "--",          "pgbench", "-S"};
    const auto outcome = run(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("12 points, seed 5; load: pgbench -S\n"));
    EXPECT_EQ(lines_in(outcome.out), 13);
    EXPECT_EQ(outcome.out, run(words).out);
    EXPECT_THAT(names(), IsEmpty());
}

class RunSweep : public ProgramTest {
  protected:
    void SetUp() override {
        static const std::string prefix = find_prefix();
        if (prefix.empty())
            GTEST_SKIP() << "no patched PostgreSQL is built and SNAPSCOPE_PG_PREFIX is not set";
        prefix_ = prefix;
    }
    [[nodiscard]] Words words(const Words& more, const Words& load) const {
        Words all{"sweep", "--server", prefix_, "--source", "ring,sql", "--yes", "-o", "a.sweep"};
        all.insert(all.end(), more.begin(), more.end());
        all.emplace_back("--");
        all.insert(all.end(), load.begin(), load.end());
        return all;
    }
    [[nodiscard]] SweepFile sweep() const {
        auto file = read_sweep_file(path("a.sweep"));
        if (!file)
            throw std::runtime_error(file.error().message());
        return *file;
    }
    std::string prefix_;
};

TEST_F(RunSweep, EveryPointIsAServerOfItsOwnWithItsSettingsAndItsIdleConnections) {
    const auto outcome = run(words({"--max-connections", "30,50", "--mode", "off,copy", "--idle", "fill", "--events",
                                    "--prepare", "pgbench -i -q -s 1"},
                                   {"pgbench", "-n", "-S", "-c", "2", "-t", "200"}));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto file = sweep();
    ASSERT_EQ(file.points.size(), 4U);
    std::set<std::uint32_t> postmasters;
    for (const auto& point : file.points) {
        ASSERT_EQ(point.state, PointState::done) << point.reason;
        const auto one = read_run(path("a.sweep") / *point.run);
        ASSERT_TRUE(one) << one.error().message();
        EXPECT_EQ(one->server.max_connections, static_cast<std::uint32_t>(point.x));
        EXPECT_EQ(one->server.snapshot_cache, point.mode);
        EXPECT_GE(one->server.backends.value_or(0), static_cast<std::uint32_t>(point.x) - 2 - 8);
        EXPECT_EQ(one->workload->transactions, 400U);
        EXPECT_TRUE(one->events);
        EXPECT_TRUE(one->layout.memory) << "where its arrays came to lie";
        EXPECT_TRUE(postmasters.insert(one->server.pid).second);
    }
}

TEST_F(RunSweep, APointThatFailsSaysWhyAndTheOthersStand) {
    const Words load{"pgbench", "-n", "-c", "12", "-t", "5", "-f", path("one.sql").string()};
    put("one.sql", "SELECT 1;\n");
    const auto outcome = run(words({"--max-connections", "10,40"}, load));
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    for (const auto& point : sweep().points) {
        EXPECT_EQ(point.state, point.x < 20 ? PointState::failed : PointState::done) << point.reason;
        EXPECT_EQ(point.reason.empty(), point.x > 20);
    }
    EXPECT_THAT(run(words({"--max-connections", "10,40"}, load)).err, HasSubstr("is there already"));

    // Resumed: nothing is left to do, and a failed point is tried only when asked for.
    const auto before = sweep();
    EXPECT_EQ(run(words({"--max-connections", "10,40", "--resume"}, load)).status, 3);
    EXPECT_EQ(sweep().points[0].state, before.points[0].state);
    const auto other = run(words({"--max-connections", "10,41", "--resume"}, load));
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, HasSubstr("was planned otherwise"));
}

TEST_F(RunSweep, AServerThatDoesNotStartIsAFailedPointWithItsReason) {
    const auto outcome =
        run(words({"--max-connections", "30", "--mode", "off,nonsense"}, {"pgbench", "-n", "-t", "1"}));
    EXPECT_EQ(outcome.status, 3);
    for (const auto& point : sweep().points)
        if (point.mode == "nonsense") {
            EXPECT_THAT(point.reason, HasSubstr("snapshot_cache"));
        }
}

TEST_F(RunSweep, WhatIsInterruptedIsResumedWhereItStood) {
    put("slow.sql", "SELECT pg_sleep(0.05);\n");
    const Words load{"pgbench", "-n", "-c", "1", "-t", "40", "-f", path("slow.sql").string()};
    {
        auto running = start(words({"--max-connections", "30,40,50"}, load));
        for (int tries = 0; tries < 1500; ++tries) {
            const auto file = read_sweep_file(path("a.sweep"));
            if (file && file->points[0].state == PointState::done)
                break;
            std::this_thread::sleep_for(20ms);
        }
        running.signal(SIGINT);
        const auto outcome = running.finish();
        EXPECT_EQ(outcome.status, 3) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr("--resume"));
    }
    const auto before = sweep();
    ASSERT_EQ(before.points[0].state, PointState::done);
    ASSERT_EQ(before.points[2].state, PointState::planned);
    const auto first_id = read_run(path("a.sweep") / *before.points[0].run)->id;

    const auto outcome = run(words({"--max-connections", "30,40,50", "--resume"}, load));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto after = sweep();
    EXPECT_EQ(after.id, before.id);
    EXPECT_EQ(after.seed, before.seed);
    for (const auto& point : after.points)
        EXPECT_EQ(point.state, PointState::done);
    EXPECT_EQ(read_run(path("a.sweep") / *after.points[0].run)->id, first_id) << "a point that is done stays";
}

TEST_F(RunSweep, AServerOfOnesOwnIsRestartedByItsCommand) {
    put("restart.sh", "echo \"$SNAPSCOPE_X/$SNAPSCOPE_MODE/$SNAPSCOPE_CLIENTS\" >> heard; exit 1\n");
    const auto outcome = run({"sweep", "--port", "1", "--restart", "sh restart.sh", "--max-connections", "30,40",
                              "--clients", "2", "--mode", "copy", "-o", "a.sweep", "--", "pgbench"});
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_THAT(text("heard"), HasSubstr("30/copy/2\n"));
    EXPECT_THAT(text("heard"), HasSubstr("40/copy/2\n"));
    for (const auto& point : sweep().points)
        EXPECT_THAT(point.reason, HasSubstr("ended with status 1"));
}

} // namespace
} // namespace snapscope::test
