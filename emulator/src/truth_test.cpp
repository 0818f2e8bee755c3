#include "stored_trace.hpp"

#include <snapscope/analyzer/trace_replay.hpp>
#include <snapscope/emulator/machine.hpp>
#include <snapscope/emulator/truth.hpp>

#include <algorithm>
#include <gtest/gtest.h>

namespace snapscope::emulator {
namespace {

const StructureTruth& structure(const PhaseTruth& truth, const std::string& name) {
    return *std::ranges::find(truth.by_structure, name, &StructureTruth::name);
}

PhaseTruth truth_of(const RecordedPhase& phase) {
    return analyse_phase(phase, machine_from_shape(phase.trace.topology)->topology);
}

// A scan reads three fields of each entry's PGXACT, and its own entry once more.
TEST(EmulatedTruth, AScanOfAFullPopulationReadsThreeWordsAnEntryAndItsOwn) {
    const PhaseTruth truth = truth_of(stored_phase("off"));
    ASSERT_GT(truth.snapshots, 100U);
    const auto call = std::ranges::find(truth.calls, "PGXACT", &CallTruth::structure);
    ASSERT_NE(call, truth.calls.end());
    EXPECT_EQ(call->reads, 4U * 3 + 1);
    EXPECT_GT(call->share, 0.8);
}

TEST(EmulatedTruth, AStockSnapshotLocksOnceAndReleasesOnce) {
    const PhaseTruth truth = truth_of(stored_phase("off"));
    const double locked =
        static_cast<double>(structure(truth, "ProcArrayLock").moved.accesses[2]) / static_cast<double>(truth.snapshots);
    EXPECT_NEAR(locked, 2, 0.15);
}

TEST(EmulatedTruth, ALockFreeReaderTouchesTheLockHardlyAndThePgxactOfOthersNot) {
    const PhaseTruth truth = truth_of(stored_phase("lockfree"));
    ASSERT_GT(truth.snapshots, 100U);
    EXPECT_LT(structure(truth, "ProcArrayLock").moved.accesses[2], truth.snapshots / 5);
    EXPECT_GT(structure(truth, "snapshot_copy").moved.accesses[0], truth.snapshots);
    EXPECT_EQ(std::ranges::find(truth.calls, "PGXACT", &CallTruth::structure), truth.calls.end());
}

// The same accesses through the analyzer's model: every figure that both count.
TEST(EmulatedTruth, TheAnalyzersModelCountsTheSameOnTheSameAccesses) {
    for (const std::string mode : {"off", "lockfree"}) {
        const RecordedPhase phase = stored_phase(mode);
        const PhaseTruth truth = truth_of(phase);
        SimulateOptions options;
        options.topology = machine_from_shape(phase.trace.topology)->topology;
        options.protocol = Protocol::mesif;
        const auto model = replay_trace(snapscope::Run{}, phase.trace, options);
        ASSERT_TRUE(model) << model.error().message();
        EXPECT_EQ(model->snapshots, truth.snapshots);
        for (const NamedTally& row : model->by_structure) {
            const Movements& moved = structure(truth, row.name).moved;
            EXPECT_EQ(row.tally.transfers, moved.fetches) << mode << " " << row.name;
            EXPECT_EQ(row.tally.upgrades, moved.upgrades) << mode << " " << row.name;
            EXPECT_EQ(row.tally.invalidated, moved.invalidated) << mode << " " << row.name;
        }
    }
}

TEST(EmulatedTruth, ATraceIsNotReplayedAsIfItWereEvents) {
    const RecordedPhase phase = stored_phase("off");
    SimulateOptions options;
    options.topology = machine_from_shape("2x2")->topology;
    options.mode = CacheMode::copy;
    const auto refused = replay_trace(snapscope::Run{}, phase.trace, options);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().error_class, ErrorClass::usage);
}

} // namespace
} // namespace snapscope::emulator
