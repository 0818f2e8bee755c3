// Recordings of the stand-in server, whose every event is known.
#include "victim_process.hpp"

#include <snapscope/collector/capabilities.hpp>
#include <snapscope/recording/event_trace.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

namespace snapscope {
namespace {

using test::PipedProcess;
using test::Victim;
using testing::HasSubstr;

#define SNAPSCOPE_NEEDS_BPF()                                                                                          \
    do {                                                                                                               \
        if (const auto missing = missing_for_bpf())                                                                    \
            GTEST_SKIP() << *missing << " is missing";                                                                 \
        if (::access("/sys/kernel/btf/vmlinux", R_OK) != 0)                                                            \
            GTEST_SKIP() << "this kernel has no BTF";                                                                  \
    } while (false)

// Events that one child emits in N rounds (victim.cpp).
std::int64_t events_of(std::int64_t rounds) {
    return 3 * rounds + 2 * ((rounds + 3) / 4);
}

std::optional<std::int64_t> total(const Run& run, const std::string& name, const std::string& source) {
    for (const auto& total : run.totals) {
        if (total.name == name && total.source == source)
            return total.value;
    }
    return std::nullopt;
}

const SourceStatus& source(const Run& run, const std::string& name) {
    for (const auto& status : run.sources) {
        if (status.name == name)
            return status;
    }
    throw std::runtime_error("the run has no source " + name);
}

class Recorded : public testing::Test {
  protected:
    [[nodiscard]] std::string output() const { return (folder_.path() / "run.snap").string(); }
    std::vector<std::string> command(const Victim& victim, const std::vector<std::string>& more) const {
        std::vector<std::string> all{SNAPSCOPE_RECORDER, std::to_string(victim.pid()), output()};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    // Records while the victim does WORK; returns the recorder's exit status.
    template <typename Work> int record(Victim& victim, const std::vector<std::string>& more, Work work) {
        PipedProcess recorder(command(victim, more));
        EXPECT_EQ(recorder.line(), "recording");
        work();
        recorder.signal(SIGINT);
        return recorder.wait();
    }
    [[nodiscard]] snapscope::Run run() const {
        auto run = read_run(output());
        if (!run)
            throw std::runtime_error(run.error().message());
        return *run;
    }
    // Events in the trace, and how many it says were lost.
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> trace(EventSource from) const {
        auto reader = EventTraceReader::open(std::filesystem::path(output()) / "events");
        if (!reader)
            throw std::runtime_error(reader.error().message());
        std::uint64_t events = 0;
        for (;;) {
            const auto item = reader->next();
            if (!item)
                throw std::runtime_error(item.error().message());
            if (!*item)
                break;
            events += (*item)->source == from ? 1U : 0U;
        }
        return {events, reader->lost(from)};
    }

    test::TemporaryFolder folder_;
};

TEST_F(Recorded, CountersEventsAndProbesAgreeExactly) {
    SNAPSCOPE_NEEDS_BPF();
    Victim victim({"--capacity", "65536"}); // nothing is lost, however late the drain comes
    constexpr std::int64_t rounds = 600;
    const int status = record(victim, {"--events", "--yes", "ring", "ebpf"}, [&] {
        EXPECT_EQ(victim.ask("go " + std::to_string(rounds)), "done");
        EXPECT_EQ(victim.ask("spawn"), "done"); // three children now, each from its own round 0
        EXPECT_EQ(victim.ask("go " + std::to_string(rounds)), "done");
    });
    EXPECT_EQ(status, 0);
    constexpr std::int64_t children = 5; // two twice, one once
    const snapscope::Run result = run();
    EXPECT_TRUE(result.finished);
    for (const char* from : {"ring", "ebpf"}) {
        EXPECT_EQ(total(result, "snapshots_taken", from), children * rounds) << from;
        EXPECT_EQ(total(result, "snapshots_reused", from), children * rounds / 3) << from;
        EXPECT_EQ(total(result, "snapshots_rebuilt", from), children * rounds / 3) << from;
        EXPECT_EQ(total(result, "snapshots_private_scans", from), children * rounds / 3) << from;
        EXPECT_EQ(total(result, "xids_assigned", from), children * rounds / 4) << from;
        EXPECT_EQ(total(result, "xacts_with_xid", from), children * rounds / 4) << from;
        EXPECT_EQ(total(result, "xacts_without_xid", from), children * rounds * 3 / 4) << from;
        EXPECT_EQ(total(result, "invalidations_xact_end", from), children * rounds / 4) << from;
        EXPECT_EQ(total(result, "invalidations_vacuum_flag", from), 0) << from;
        EXPECT_EQ(source(result, from).lost, 0U);
    }
    EXPECT_EQ(total(result, "event_snapshots_taken", "ring"), children * rounds);
    EXPECT_EQ(total(result, "event_snapshots_rebuilt", "ring"), children * rounds / 3);
    const auto events = static_cast<std::uint64_t>(children * events_of(rounds));
    EXPECT_EQ(source(result, "ebpf").records, events);
    EXPECT_EQ(source(result, "ring").records, events + 3); // each child says once that its ring runs
    EXPECT_EQ(trace(EventSource::ebpf).first, events);
    EXPECT_EQ(trace(EventSource::ring).first, events + 3);
    EXPECT_EQ(victim.ask("semaphore"), "semaphore 0");
    EXPECT_EQ(victim.ask("control"), "control 0 0");
}

TEST_F(Recorded, WhatATinyRingLosesIsCountedToTheRecord) {
    Victim victim({"--capacity", "16"});
    constexpr std::int64_t rounds = 40000;
    const int status = record(victim, {"--events", "ring"}, [&] { victim.ask("go " + std::to_string(rounds)); });
    EXPECT_EQ(status, 3);
    const snapscope::Run result = run();
    const auto& ring = source(result, "ring");
    EXPECT_EQ(ring.state, SourceState::degraded);
    EXPECT_GT(ring.lost, 0U);
    EXPECT_EQ(ring.records + ring.lost, static_cast<std::uint64_t>(2 * (events_of(rounds) + 1)));
    EXPECT_EQ(static_cast<std::int64_t>(ring.lost), total(result, "events_lost", "ring"));
    EXPECT_EQ(static_cast<std::int64_t>(ring.records), total(result, "events_written", "ring"));
    EXPECT_EQ(trace(EventSource::ring), std::pair(ring.records, ring.lost));
    EXPECT_EQ(total(result, "snapshots_taken", "ring"), 2 * rounds);
}

TEST_F(Recorded, WithoutEventsTheRingsStayOff) {
    Victim victim;
    EXPECT_EQ(record(victim, {"ring"},
                     [&] {
                         EXPECT_EQ(victim.ask("control"), "control 0 0");
                         victim.ask("go 100");
                     }),
              0);
    const snapscope::Run result = run();
    EXPECT_EQ(total(result, "snapshots_taken", "ring"), 200);
    EXPECT_EQ(total(result, "events_written", "ring"), std::nullopt) << "not watched is not none";
    EXPECT_FALSE(result.events);
}

TEST_F(Recorded, WindowsAddUpToTheTotal) {
    Victim victim;
    record(victim, {"ring"}, [&] {
        for (int i = 0; i < 5; ++i) {
            victim.ask("go 50");
            std::this_thread::sleep_for(std::chrono::milliseconds(40));
        }
    });
    const snapscope::Run result = run();
    double sum = 0;
    for (const auto& value : result.windows.series.front().values)
        sum += value.value_or(0);
    EXPECT_EQ(result.windows.series.front().name, "snapshots_taken");
    EXPECT_EQ(sum, 500);
    EXPECT_GT(result.windows.start_ns.size(), 3U);
}

TEST_F(Recorded, InModeOffWaitsAreUnknown) {
    Victim victim({"--mode", "0"});
    record(victim, {"ring"}, [&] { victim.ask("go 10"); });
    const snapscope::Run result = run();
    EXPECT_EQ(result.server.snapshot_cache, "off");
    EXPECT_EQ(total(result, "snapshots_waited", "ring"), std::nullopt);
}

TEST_F(Recorded, SecondCollectorIsRefusedByName) {
    Victim victim;
    PipedProcess first(command(victim, {"ring"}));
    EXPECT_EQ(first.line(), "recording");
    PipedProcess second(
        {SNAPSCOPE_RECORDER, std::to_string(victim.pid()), (folder_.path() / "two.snap").string(), "ring"});
    EXPECT_THAT(second.line(), HasSubstr("pid " + std::to_string(first.pid())));
    EXPECT_EQ(second.wait(), 1);
    first.signal(SIGINT);
    EXPECT_EQ(first.wait(), 0);
}

TEST_F(Recorded, ProbesNeedNoLeaseBesideAnotherCollector) {
    SNAPSCOPE_NEEDS_BPF();
    Victim victim;
    PipedProcess first(command(victim, {"--events", "ring"}));
    EXPECT_EQ(first.line(), "recording");
    const auto other = (folder_.path() / "two.snap").string();
    PipedProcess second({SNAPSCOPE_RECORDER, std::to_string(victim.pid()), other, "--events", "--yes", "ebpf"});
    EXPECT_EQ(second.line(), "recording");
    victim.ask("go 30");
    second.signal(SIGINT);
    EXPECT_EQ(second.wait(), 0);
    first.signal(SIGINT);
    EXPECT_EQ(first.wait(), 0);
    EXPECT_EQ(total(run(), "event_snapshots_taken", "ring"), 60);
    EXPECT_EQ(total(*read_run(other), "snapshots_taken", "ebpf"), 60);
}

TEST_F(Recorded, KilledCollectorLeavesNothingRunning) {
    SNAPSCOPE_NEEDS_BPF();
    Victim victim;
    {
        PipedProcess recorder(command(victim, {"--events", "--yes", "ring", "ebpf"}));
        EXPECT_EQ(recorder.line(), "recording");
        EXPECT_EQ(victim.ask("control"), "control 1 1");
        EXPECT_NE(victim.ask("semaphore"), "semaphore 0");
        recorder.signal(SIGKILL);
        recorder.wait();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    EXPECT_EQ(victim.ask("control"), "control 1 0"); // still enabled, but the lease has run out
    EXPECT_EQ(victim.ask("semaphore"), "semaphore 0");
    const snapscope::Run cut_off = run();
    EXPECT_FALSE(cut_off.finished);
    std::filesystem::remove_all(output());
    EXPECT_EQ(record(victim, {"--events", "ring"}, [&] { victim.ask("go 30"); }), 0);
    EXPECT_EQ(total(run(), "event_snapshots_taken", "ring"), 60);
}

TEST_F(Recorded, CrashRestartIsAGapAndAWarning) {
    Victim victim;
    record(victim, {"ring"}, [&] {
        victim.ask("go 20");
        std::this_thread::sleep_for(std::chrono::milliseconds(80));
        victim.ask("crash");
        victim.ask("go 10");
        std::this_thread::sleep_for(std::chrono::milliseconds(80));
    });
    const snapscope::Run result = run();
    EXPECT_EQ(total(result, "snapshots_taken", "ring"), 60);
    ASSERT_FALSE(result.warnings.empty());
    EXPECT_THAT(result.warnings.front(), HasSubstr("crash"));
    const auto& values = result.windows.series.front().values;
    EXPECT_TRUE(std::find(values.begin(), values.end(), std::nullopt) != values.end());
}

TEST_F(Recorded, ServerThatEndsFinishesTheRun) {
    auto victim = std::make_unique<Victim>();
    PipedProcess recorder(command(*victim, {"--events", "ring"}));
    EXPECT_EQ(recorder.line(), "recording");
    victim->ask("go 10");
    victim.reset();
    EXPECT_EQ(recorder.wait(), 3);
    const snapscope::Run result = run();
    EXPECT_TRUE(result.finished);
    EXPECT_EQ(total(result, "snapshots_taken", "ring"), 20);
    ASSERT_FALSE(result.warnings.empty());
    EXPECT_THAT(result.warnings.front(), HasSubstr("ended"));
}

TEST_F(Recorded, MissingCapabilityIsNamed) {
    if (::geteuid() != 0 || ::access("/usr/bin/setpriv", X_OK) != 0)
        GTEST_SKIP() << "needs root and setpriv";
    Victim victim;
    auto all = command(victim, {"--yes", "ebpf"});
    all.insert(all.begin(), {"/usr/bin/setpriv", "--bounding-set=-bpf,-perfmon,-sys_admin"});
    PipedProcess recorder(all);
    EXPECT_EQ(recorder.line(), "recording");
    recorder.signal(SIGINT);
    EXPECT_EQ(recorder.wait(), 3);
    const snapscope::Run result = run();
    EXPECT_EQ(source(result, "ebpf").state, SourceState::unavailable);
    EXPECT_THAT(source(result, "ebpf").reason, HasSubstr("CAP_BPF"));
}

TEST_F(Recorded, ProbesThatOthersWouldFeelNeedConsent) {
    Victim victim;
    Victim other;
    EXPECT_EQ(record(victim, {"ebpf"}, [] {}), 3);
    EXPECT_THAT(source(run(), "ebpf").reason, HasSubstr("pid " + std::to_string(other.pid())));
    EXPECT_THAT(source(run(), "ebpf").hint, HasSubstr("--yes"));
}

TEST_F(Recorded, ProbesCountTheMeantServerAlone) {
    SNAPSCOPE_NEEDS_BPF();
    Victim victim;
    Victim other;
    record(victim, {"--yes", "ebpf"}, [&] {
        other.ask("go 500");
        victim.ask("go 30");
    });
    EXPECT_EQ(total(run(), "snapshots_taken", "ebpf"), 60);
}

TEST_F(Recorded, ProcessesThatComeAndGoCountTowardsCpuTime) {
    SNAPSCOPE_NEEDS_BPF();
    Victim victim;
    record(victim, {"ring", "sched"}, [&] {
        victim.ask("spawn");
        victim.ask("go 200000");
    });
    const snapscope::Run result = run();
    EXPECT_EQ(source(result, "sched").state, SourceState::active);
    EXPECT_GT(total(result, "server_cpu_ns", "sched"), 1000000);
    std::size_t with_residency = 0;
    for (const auto& slot : result.slots)
        with_residency += slot.residency.empty() ? 0U : 1U;
    EXPECT_EQ(with_residency, 3U);
}

} // namespace
} // namespace snapscope
