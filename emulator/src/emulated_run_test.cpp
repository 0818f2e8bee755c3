#include "stored_trace.hpp"

#include <snapscope/analyzer/simulate.hpp>
#include <snapscope/analyzer/summary.hpp>
#include <snapscope/emulator/emulated_run.hpp>
#include <snapscope/lab/scratch_folder.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <algorithm>
#include <gtest/gtest.h>

namespace snapscope::emulator {
namespace {

// A stored phase as the verb makes a run of it.
struct Made {
    Emulation emulation;
    EmulatedRow row;
    Machine machine = *machine_from_shape("2x2");
    snapscope::Run run;

    explicit Made(const std::string& mode) {
        emulation.phases.push_back(stored_phase(mode));
        emulation.guest.ranges = emulation.phases.front().trace.ranges;
        row.server = "13.16";
        row.mode = mode;
        row.workload = "select-only";
        row.clients = 4;
        row.max_connections = 100;
        row.barrier_instructions = 5000;
        row.repeats.push_back(analyse_phase(emulation.phases.front(), machine.topology));
        run = *emulated_run(row, emulation, machine, {"0.1.0", "QEMU", 1000, 5});
    }
};

TEST(EmulatedRun, IsReadBackWithItsAccessesAndReplayed) {
    const Made made("lockfree");
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder);
    const auto path = folder->path() / "one.snap";
    const Status written = write_emulated_run(made.run, made.emulation.phases.front().trace, path, false);
    ASSERT_TRUE(written) << written.error().message();
    const auto run = read_run(path);
    ASSERT_TRUE(run) << run.error().message();
    SimulateOptions options;
    options.topology = *topology_of(run->host);
    options.protocol = Protocol::mesif;
    const auto model = simulate_folder(*run, path, options);
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_EQ(model->snapshots, made.row.snapshots());
}

TEST(EmulatedRun, IsReplacedWhereThatIsAskedFor) {
    const Made made("off");
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder);
    const auto path = folder->path() / "one.snap";
    const AccessTrace& trace = made.emulation.phases.front().trace;
    ASSERT_TRUE(write_emulated_run(made.run, trace, path, false));
    EXPECT_FALSE(write_emulated_run(made.run, trace, path, false));
    const Status again = write_emulated_run(made.run, trace, path, true);
    EXPECT_TRUE(again) << (again ? "" : again.error().message());
}

// Kind `emulated`: never a time, a rate, a tps.
TEST(EmulatedRun, SaysTransfersASnapshotAndNoRate) {
    const Summary summary = summarize(Made("off").run);
    EXPECT_FALSE(summary.duration_s);
    EXPECT_FALSE(summary.tps);
    ASSERT_FALSE(summary.transfers.empty());
    for (const TransferSummary& row : summary.transfers) {
        EXPECT_EQ(row.kind, EvidenceKind::emulated);
        EXPECT_FALSE(row.per_second);
        EXPECT_TRUE(row.per_snapshot);
    }
    bool found = false;
    for (const Metric& metric : summary.metrics)
        found = found || metric.name == "cross_socket_events_per_snapshot";
    EXPECT_TRUE(found);
}

TEST(EmulatedRun, TheSocketsFetchesAreThoseOfTheStructuresThatMakeASnapshot) {
    const Made made("off");
    const auto matrix = std::ranges::find(made.run.matrices, "transfers", &Matrix::name);
    ASSERT_NE(matrix, made.run.matrices.end());
    const Movements moved = snapshot_movements(made.row);
    const double all =
        static_cast<double>(sum(moved.fetches) - moved.fetches[static_cast<std::size_t>(Distance::from_memory)]);
    double counted = 0;
    for (const double count : matrix->counts)
        counted += count;
    EXPECT_DOUBLE_EQ(counted, all);
}

} // namespace
} // namespace snapscope::emulator
