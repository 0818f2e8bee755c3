// How recordings end: the stand-in server of the collector's tests, the real program.
#include "program.hpp"
#include "victim_process.hpp"

#include <snapscope/collector/capabilities.hpp>
#include <snapscope/recording/run_folder.hpp>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

bool is_gone(const std::string& pid) {
    for (int tries = 0; tries < 500 && std::filesystem::exists("/proc/" + pid); ++tries)
        std::this_thread::sleep_for(10ms);
    return !std::filesystem::exists("/proc/" + pid);
}

class Record : public ProgramTest {
  protected:
    [[nodiscard]] Words words(Words more) const {
        Words all{"record", "--pid", std::to_string(victim_.pid()), "-o", "x.snap"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    [[nodiscard]] Words with_load(const std::string& script, Words more = {"--source", "ring"}) const {
        more.insert(more.end(), {"--", "/bin/sh", "-c", script});
        return words(std::move(more));
    }
    [[nodiscard]] snapscope::Run recorded() const {
        auto run = read_run(path("x.snap"));
        if (!run)
            throw std::runtime_error(run.error().message());
        return *run;
    }
    static std::int64_t total(const snapscope::Run& run, const std::string& source, const std::string& name) {
        for (const auto& total : run.totals)
            if (total.source == source && total.name == name)
                return total.value.value_or(-1);
        return -1;
    }
    // The load is told to end after 100 snapshots; 100 more follow before it does.
    void snapshots_after_the_end(const Words& sources) {
        auto running = start(with_load("trap 'touch told; while [ ! -e enough ]; do sleep 0.01; done; exit' TERM; "
                                       "touch started; while :; do sleep 0.01; done",
                                       sources));
        wait_for_file("started");
        victim_.ask("go 50");
        running.signal(SIGINT);
        wait_for_file("told");
        victim_.ask("go 50");
        put("enough", "");
        const auto outcome = running.finish();
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        const auto run = recorded();
        EXPECT_TRUE(run.finished);
        for (const auto& source : run.sources) {
            EXPECT_EQ(total(run, source.name, "snapshots_taken"), 100) << source.name;
            EXPECT_EQ(source.end_ns, run.clock.end_ns) << source.name;
        }
        EXPECT_EQ(run.windows.end_ns.back(), run.clock.end_ns);
        EXPECT_EQ(total(run, "ring", "event_snapshots_taken"), 100);
    }

    Victim victim_;
};

TEST_F(Record, ObservationEndsBeforeTheLoadIsEnded) {
    snapshots_after_the_end({"--source", "ring", "--events"});
}

TEST_F(Record, ObservationEndsBeforeProbesAreTakenOff) {
    if (const auto missing = missing_for_bpf())
        GTEST_SKIP() << *missing << " is missing";
    snapshots_after_the_end({"--source", "ring,ebpf", "--events", "--yes"});
}

TEST_F(Record, ADurationEndsItWithItsLoad) {
    const auto outcome = run(with_load("sleep 600", {"--source", "ring", "-d", "0.2"}));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto run = recorded();
    EXPECT_TRUE(run.finished);
    EXPECT_FALSE(run.workload->valid);
    EXPECT_EQ(run.workload->exit_status, 128 + SIGTERM);
}

TEST_F(Record, InterruptTerminationAndHangupFinishIt) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        auto running = start(with_load("echo $$ > pid.new; mv pid.new pid; sleep 600"));
        wait_for_file("pid");
        running.signal(signal);
        running.signal(signal == SIGINT ? 0 : signal); // twice, as `timeout` and terminals do
        const auto outcome = running.finish();
        EXPECT_EQ(outcome.status, 0) << signal << outcome.err;
        EXPECT_TRUE(recorded().finished) << signal;
        EXPECT_TRUE(is_gone(text("pid").substr(0, text("pid").find('\n'))));
        std::filesystem::remove_all(path("x.snap"));
        std::filesystem::remove(path("pid"));
    }
}

TEST_F(Record, ASecondInterruptTakesADeafLoadAlong) {
    auto running = start(with_load("trap '' INT TERM HUP; sleep 600 & echo $$ > a; echo $! > b.new; mv b.new b; "
                                   "while :; do sleep 600; done"));
    wait_for_file("b");
    while (!running.ended()) {
        running.signal(SIGINT);
        std::this_thread::sleep_for(20ms);
    }
    EXPECT_EQ(running.finish().status, 130);
    for (const char* name : {"a", "b"})
        EXPECT_TRUE(is_gone(text(name).substr(0, text(name).size() - 1))) << name;
}

TEST_F(Record, ALoadThatFailsIsAFailure) {
    const auto outcome = run(with_load("exit 7"));
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("the load ended with exit status 7"));
    EXPECT_TRUE(recorded().finished);
}

TEST_F(Record, ALoadThatFailsWithItsServerIsARunInPart) {
    const auto pid_file = (victim_.pgdata() / "postmaster.pid").string();
    const auto outcome = run(with_load("printf 'localhost\\n0 0\\nstopping\\n' >> " + pid_file + "; exit 2"));
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("the server ended during the recording"));
}

TEST_F(Record, AServerThatEndsEndsTheLoadToo) {
    auto running = start(with_load("touch started; sleep 600"));
    wait_for_file("started");
    victim_.process().send("quit");
    const auto outcome = running.finish();
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_TRUE(recorded().finished);
}

TEST_F(Record, TheStreamsOfTheLoadStayApart) {
    const auto outcome = run(with_load("echo for stdout; echo for stderr >&2"));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "for stdout\n");
    EXPECT_THAT(outcome.err, HasSubstr("for stderr\n"));
}

TEST_F(Record, AServerThatHasEndedIsNone) {
    const pid_t dead = ::fork();
    ASSERT_GE(dead, 0);
    if (dead == 0)
        ::_exit(0);
    siginfo_t ended{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(dead), &ended, WEXITED | WNOWAIT), 0);
    const auto pid = std::to_string(dead);
    for (const Words& verb : {Words{"record", "-o", "x.snap", "--pid", pid}, Words{"doctor", "--pid", pid}}) {
        const auto outcome = run(verb);
        EXPECT_EQ(outcome.status, 1) << verb[0];
        EXPECT_THAT(outcome.err, HasSubstr("pid " + pid + " has ended")) << verb[0];
        EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
    }
    EXPECT_THAT(names(), IsEmpty());
    ::waitpid(dead, nullptr, 0);
}

TEST_F(Record, AServerOfAnotherUserIsSaidToRun) {
    if (::geteuid() != 0 || ::access("/usr/bin/setpriv", X_OK) != 0)
        GTEST_SKIP() << "needs root and setpriv";
    // The victim's folder is root's alone.
    const Words nobody{"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", SNAPSCOPE_PROGRAM};
    const auto as_nobody = [&](const Words& words) {
        auto all = nobody;
        all.insert(all.end(), words.begin(), words.end());
        return Running(std::move(all), "/").finish();
    };
    if (as_nobody({"--version"}).status != 0)
        GTEST_SKIP() << "another user cannot run " SNAPSCOPE_PROGRAM;
    const auto refused = as_nobody({"record", "--port", "1", "-d", "0.1", "-o", "/tmp/none.snap"});
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.err, HasSubstr("that this user may not look at; run as the server's user or as root"));
    EXPECT_EQ(lines_in(refused.err), 1) << refused.err;
}

TEST_F(Record, EventsThatNoSourceCanRecordMakeARunInPart) {
    std::filesystem::copy_file("/bin/sleep", path("postgres")); // no counters, no probes
    const Running server({path("postgres").string(), "600"}, path(""));
    const auto outcome =
        run({"record", "--pid", std::to_string(server.pid()), "-d", "0.1", "-o", "x.snap", "--events"});
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("no source could record events"));
}

TEST_F(Record, WhatMayNotGrowIsOneLineAndLeavesNothingHalfWritten) {
    const auto outcome = run_limited("-f 1", words({"--source", "ring", "-d", "0.1"}));
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
    EXPECT_THAT(outcome.err, EndsWith("x.snap/run.json: File too large\n"));
    EXPECT_THAT(names(), IsEmpty());
}

TEST_F(Record, WhatStopsGrowingIsNotTakenForFinished) {
    // The first run.json (some 6 kB here, with nothing in it) fits, the last one does not.
    ASSERT_EQ(run(words({"--source", "ring", "-d", "0.05", "--interval", "10"})).status, 0);
    const auto blocks = std::filesystem::file_size(path("x.snap/run.json")) / 512;
    std::filesystem::remove_all(path("x.snap"));
    const auto outcome =
        run_limited("-f " + std::to_string(blocks), words({"--source", "ring", "-d", "3", "--interval", "10"}));
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("run.json: File too large; what was recorded before stays in"));
    EXPECT_FALSE(recorded().finished);
    EXPECT_EQ(run({"show", "x.snap"}).status, 3);
}

} // namespace
} // namespace snapscope::test
