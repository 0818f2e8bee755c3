#include "../shared/stream.h"

#include <snapscope/emulator/phase_recorder.hpp>

#include <gtest/gtest.h>

namespace snapscope::emulator {
namespace {

constexpr std::uint64_t pgxact = 0x7000;

class Recorder {
  public:
    explicit Recorder(std::uint64_t clients)
        : guest_{{{"PGXACT", pgxact, 256}}, {}}, recorder_(server_, guest_, clients) {
        recorder_.start(1);
    }
    Recorder& mark(std::uint8_t cpu, Mark which) {
        return put(cpu, SNAPSCOPE_STREAM_MARK, static_cast<std::uint8_t>(which), 0);
    }
    Recorder& read(std::uint8_t cpu, std::uint64_t at) { return put(cpu, SNAPSCOPE_STREAM_READ, 4, pgxact + at); }
    Recorder& write(std::uint8_t cpu, std::uint64_t at) { return put(cpu, SNAPSCOPE_STREAM_WRITE, 4, pgxact + at); }
    RecordedPhase finish() { return recorder_.finish(); }

  private:
    static ServerMap with_marks() {
        ServerMap server;
        server.mark_addresses = {1, 2, 3, 4};
        return server;
    }
    Recorder& put(std::uint8_t cpu, std::uint8_t kind, std::uint8_t detail, std::uint64_t address) {
        snapscope_stream_record record{};
        record.address = address;
        record.vcpu = cpu;
        record.kind = kind;
        record.detail = detail;
        EXPECT_TRUE(recorder_.take(record));
        return *this;
    }
    ServerMap server_ = with_marks();
    ServerInGuest guest_;
    PhaseRecorder recorder_;
};

TEST(PhaseRecorder, ReadsOfALineBetweenWhichNobodyElseTouchedItAreOneEntry) {
    Recorder recorder(1);
    recorder.read(0, 0).read(0, 64).read(0, 4).read(0, 68);
    const auto phase = recorder.finish();
    ASSERT_EQ(phase.trace.accesses.size(), 2U);
    EXPECT_EQ(phase.trace.accesses[0].count, 2U);
    EXPECT_EQ(phase.trace.accesses[1].count, 2U);
}

TEST(PhaseRecorder, AnotherCpusAccessToTheLineKeepsThemApart) {
    Recorder recorder(1);
    recorder.read(0, 0).write(1, 4).read(0, 8);
    const auto phase = recorder.finish();
    ASSERT_EQ(phase.trace.accesses.size(), 3U);
    EXPECT_EQ(phase.trace.lines.size(), 1U);
}

TEST(PhaseRecorder, TheWindowIsFromAllClientsConnectedToTheFirstThatLeaves) {
    Recorder recorder(2);
    recorder.mark(0, Mark::proc_added).mark(0, Mark::snapshot); // pgbench's own look, which ends late
    recorder.mark(0, Mark::proc_added).mark(1, Mark::proc_added).mark(0, Mark::snapshot);
    recorder.mark(0, Mark::proc_removed).mark(0, Mark::snapshot).read(0, 0).mark(1, Mark::snapshot);
    recorder.mark(0, Mark::proc_removed).mark(1, Mark::snapshot).read(1, 0);
    const auto phase = recorder.finish();
    EXPECT_EQ(phase.snapshots, 2U);
    EXPECT_EQ(phase.trace.window_end - phase.trace.window_begin, 3U);
}

// A window that begins in the middle of a scan must not count what was before.
TEST(PhaseRecorder, EntriesOnBothSidesOfTheWindowsEndsStayApart) {
    Recorder recorder(1);
    recorder.mark(1, Mark::proc_added).mark(1, Mark::proc_removed);
    recorder.read(0, 0).mark(1, Mark::proc_added).read(0, 4).mark(1, Mark::proc_removed).read(0, 8);
    const auto phase = recorder.finish();
    const auto& trace = phase.trace;
    ASSERT_EQ(trace.window_end - trace.window_begin, 1U);
    EXPECT_EQ(trace.accesses[trace.window_begin].count, 1U);
}

// The patched server enters the stock scan once more from within: one snapshot.
TEST(PhaseRecorder, AnEntryFromWithinIsNoSnapshotOfItsOwn) {
    Recorder recorder(1);
    recorder.mark(1, Mark::proc_added).mark(1, Mark::proc_removed).mark(1, Mark::proc_added);
    recorder.mark(0, Mark::snapshot).mark(0, Mark::nested).mark(1, Mark::snapshot).mark(0, Mark::snapshot);
    recorder.mark(0, Mark::snapshot);
    EXPECT_EQ(recorder.finish().snapshots, 3U);
}

TEST(PhaseRecorder, ARecordOfNoKnownKindIsAnError) {
    ServerMap server;
    ServerInGuest guest;
    PhaseRecorder recorder(server, guest, 1);
    recorder.start(1);
    snapscope_stream_record record{};
    record.kind = 99;
    EXPECT_FALSE(recorder.take(record));
}

} // namespace
} // namespace snapscope::emulator
