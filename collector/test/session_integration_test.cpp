// A session with the stand-in server: what live views see.
#include "victim_process.hpp"

#include <snapscope/collector/capabilities.hpp>
#include <snapscope/collector/procfs.hpp>
#include <snapscope/collector/session.hpp>

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <thread>
#include <topology.hpp>

namespace snapscope {
namespace {

using test::Victim;

SessionOptions options(const Victim& victim, std::vector<std::string> sources) {
    SessionOptions out;
    out.target.pid = victim.pid();
    out.sources = std::move(sources);
    return out;
}

std::optional<double> value(const Session& session, const SessionSample& sample, const std::string& name) {
    const auto& series = session.info().series;
    for (std::size_t i = 0; i < series.size(); ++i)
        if (series[i].name == name)
            return sample.values[i];
    return std::nullopt;
}

std::uint64_t moves_of(std::uint64_t moves, bool crosses) {
    return crosses ? moves : 0;
}

TEST(SessionTest, SamplesAreDifferencesAndALookIsSinceTheBeginning) {
    Victim victim;
    auto session = Session::open(options(victim, {"ring"}));
    ASSERT_TRUE(session) << session.error().message();
    EXPECT_THAT(session->info().attached, testing::ElementsAre("ring"));
    victim.ask("go 10");
    EXPECT_EQ(value(*session, session->sample(), "snapshots_taken"), 20);
    victim.ask("go 5");
    const auto second = session->sample();
    EXPECT_EQ(value(*session, second, "snapshots_taken"), 10);
    ASSERT_EQ(second.look.slots.size(), 2U);
    EXPECT_EQ(second.look.slots[0].taken, 15U);
    EXPECT_TRUE(second.look.histograms.empty());
    EXPECT_FALSE(session->ended());
}

TEST(SessionTest, WithEventsEverySnapshotIsTimedAndTheRingsAreOffAfterwards) {
    Victim victim;
    auto how = options(victim, {"ring"});
    how.events = true;
    {
        auto session = Session::open(how);
        ASSERT_TRUE(session) << session.error().message();
        victim.ask("go 100");
        std::uint64_t timed = 0;
        for (int tries = 0; tries < 1000 && timed < 200; ++tries) {
            ASSERT_TRUE(session->drain());
            const auto look = session->sample().look;
            timed = 0;
            for (const auto& histogram : look.histograms)
                if (histogram.label.empty())
                    for (const auto count : histogram.counts)
                        timed += count;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        EXPECT_EQ(timed, 200U);
        EXPECT_EQ(victim.ask("control"), "control 1 1");
    }
    EXPECT_THAT(victim.ask("control"), testing::StartsWith("control 0"));
}

TEST(SessionTest, AServerThatEndedIsNoticed) {
    Victim victim;
    auto session = Session::open(options(victim, {"ring"}));
    ASSERT_TRUE(session);
    victim.process().send("quit");
    victim.process().wait();
    EXPECT_TRUE(session->ended());
    EXPECT_FALSE(Session::open(options(victim, {"ring"})));
}

TEST(SessionTest, MovesBetweenCpusAreCountedExactlyAndByGroup) {
    if (const auto missing = missing_for_bpf())
        GTEST_SKIP() << *missing << " is missing";
    const auto topology = topology_of_host();
    ASSERT_TRUE(topology);
    const auto cpus = allowed_cpus(*topology);
    if (cpus.size() < 2)
        GTEST_SKIP() << "one CPU: nothing moves";
    const Cpu& from = cpus.front();
    const Cpu& to = cpus.back();

    Victim victim;
    const auto run_on = [&](const Cpu& cpu) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(cpu.cpu, &set);
        for (const pid_t child : ProcFs().children_of(victim.pid()))
            ASSERT_EQ(::sched_setaffinity(child, sizeof set, &set), 0);
        ASSERT_EQ(victim.ask("go 1"), "done");
    };
    run_on(from);
    auto session = Session::open(options(victim, {"ring", "sched"}));
    ASSERT_TRUE(session) << session.error().message();
    run_on(from); // seen once: where it moves from
    for (int i = 0; i < 10; ++i) {
        run_on(to);
        run_on(from);
    }
    const auto sample = session->sample();
    EXPECT_EQ(value(*session, sample, "migrations"), 40);
    ASSERT_EQ(sample.look.slots.size(), 2U);
    for (const Slot& slot : sample.look.slots) {
        EXPECT_EQ(slot.migrations, 20U);
        EXPECT_EQ(slot.residency.size(), 2U);
        EXPECT_EQ(slot.migrations_across_node, moves_of(20, from.node != to.node));
        EXPECT_EQ(slot.migrations_across_socket, moves_of(20, from.socket != to.socket));
        if (std::ranges::all_of(topology->cpus, [](const Cpu& cpu) { return cpu.llc.has_value(); })) {
            EXPECT_EQ(slot.migrations_across_llc, moves_of(20, from.llc != to.llc));
        } else {
            EXPECT_EQ(slot.migrations_across_llc, std::nullopt);
        }
    }
}

} // namespace
} // namespace snapscope
