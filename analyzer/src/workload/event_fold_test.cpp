#include "event_fold.hpp"
#include "mode_replay.hpp"
#include "test_events.hpp"

#include <gtest/gtest.h>
#include <random>

namespace snapscope {
namespace {

std::vector<Operation> fold(const TestEvents& events, FoldCounts* counts = nullptr) {
    EventFold fold(10, 2.0);
    std::vector<Operation> out;
    for (const Event& event : events.events)
        if (const auto operation = fold.fold(event))
            out.push_back(*operation);
    fold.finish();
    if (counts != nullptr)
        *counts = fold.counts();
    return out;
}

TEST(EventFold, ASnapshotLastsFromItsLockToItsEnd) {
    TestEvents events;
    events.add(100, 3, 1, SNAPSCOPE_EV_SNAPSHOT_START);
    events.add(190, 3, 1, SNAPSCOPE_EV_WAIT, 80, SNAPSCOPE_WAIT_LOCK); // ticks: 40 ns
    events.add(200, 3, 2, SNAPSCOPE_EV_SNAPSHOT_DONE, 7, 9);
    events.events.back().outcome = SNAPSCOPE_OUTCOME_REBUILT;
    const auto operations = fold(events);
    ASSERT_EQ(operations.size(), 1U);
    EXPECT_EQ(operations[0].start_ns, 140);
    EXPECT_EQ(operations[0].end_ns, 200);
    EXPECT_EQ(operations[0].path, SnapshotPath::rebuild);
    EXPECT_EQ(operations[0].cpu, 2U);
    EXPECT_EQ(operations[0].xids, 7U);
    EXPECT_EQ(operations[0].subxids, 9U);
}

TEST(EventFold, PathsAreToldByOutcomeFlagsAndWaits) {
    TestEvents events;
    events.snapshot(1, 2, 0, 0, SNAPSCOPE_OUTCOME_PRIVATE_SCAN);
    events.snapshot(3, 4, 0, 0, SNAPSCOPE_OUTCOME_REUSED);
    events.snapshot(5, 6, 0, 0, SNAPSCOPE_OUTCOME_REUSED,
                    SNAPSCOPE_FLAG_LOCKFREE | (2U << SNAPSCOPE_FLAG_RETRIES_SHIFT));
    events.snapshot(7, 8, 0, 0, SNAPSCOPE_OUTCOME_REUSED, SNAPSCOPE_FLAG_KEPT);
    events.add(9, 0, 0, SNAPSCOPE_EV_SNAPSHOT_START);
    events.add(10, 0, 0, SNAPSCOPE_EV_WAIT, 5, SNAPSCOPE_WAIT_BUILDER);
    events.add(10, 0, 0, SNAPSCOPE_EV_SNAPSHOT_DONE);
    events.events.back().outcome = SNAPSCOPE_OUTCOME_PRIVATE_SCAN;
    const auto operations = fold(events);
    ASSERT_EQ(operations.size(), 5U);
    EXPECT_EQ(operations[0].path, SnapshotPath::scan);
    EXPECT_EQ(operations[1].path, SnapshotPath::locked_copy);
    EXPECT_EQ(operations[2].path, SnapshotPath::lockfree);
    EXPECT_EQ(operations[2].retries, 2U);
    EXPECT_EQ(operations[3].path, SnapshotPath::kept);
    EXPECT_EQ(operations[4].path, SnapshotPath::lost_scan);
}

TEST(EventFold, AnXminIsStoredOnce) {
    TestEvents events;
    events.snapshot(1, 2, 0, 0, SNAPSCOPE_OUTCOME_PRIVATE_SCAN); // nobody knows yet whether its xmin was set
    events.add(3, 0, 0, SNAPSCOPE_EV_XMIN_SET, 500);             // it was not: a store
    events.add(4, 0, 0, SNAPSCOPE_EV_XMIN_CLEARED, 500, 0);
    events.snapshot(5, 6, 0, 0, SNAPSCOPE_OUTCOME_PRIVATE_SCAN); // publishes
    events.add(7, 0, 0, SNAPSCOPE_EV_XMIN_SET, 501);             // says so
    events.snapshot(8, 9, 0, 0, SNAPSCOPE_OUTCOME_PRIVATE_SCAN); // has one already
    events.add(10, 0, 0, SNAPSCOPE_EV_XMIN_CLEARED, 501, 502);   // advanced
    events.snapshot(11, 12, 0, 0, SNAPSCOPE_OUTCOME_PRIVATE_SCAN);
    events.add(13, 0, 0, SNAPSCOPE_EV_XACT_END, 0);
    events.snapshot(14, 15, 0, 0, SNAPSCOPE_OUTCOME_PRIVATE_SCAN);
    std::vector<bool> publishes;
    std::size_t stores = 0;
    for (const Operation& operation : fold(events)) {
        if (operation.kind == OperationKind::snapshot)
            publishes.push_back(operation.publishes);
        stores += operation.kind == OperationKind::xmin_store ? 1U : 0U;
    }
    EXPECT_EQ(publishes, (std::vector<bool>{false, true, false, false, true}));
    EXPECT_EQ(stores, 3U) << "set once, cleared, advanced";
}

// A statement's two snapshots, each with its xmin; the xmin's end is left to the caller.
void statement(TestEvents& events, std::int64_t at_ns) {
    events.snapshot(at_ns, at_ns + 1, 0, 0, SNAPSCOPE_OUTCOME_PRIVATE_SCAN);
    events.add(at_ns + 2, 0, 0, SNAPSCOPE_EV_XMIN_SET, 500).add(at_ns + 3, 0, 0, SNAPSCOPE_EV_XMIN_CLEARED, 500);
    events.snapshot(at_ns + 4, at_ns + 5, 0, 0, SNAPSCOPE_OUTCOME_PRIVATE_SCAN);
    events.add(at_ns + 6, 0, 0, SNAPSCOPE_EV_XMIN_SET, 500);
}

TEST(EventFold, AStatementWithoutAnXidIsASelect) {
    TestEvents events;
    events.add(1, 0, 0, SNAPSCOPE_EV_XACT_END);
    statement(events, 10);
    events.add(19, 0, 0, SNAPSCOPE_EV_XMIN_CLEARED, 500);
    statement(events, 20);
    events.add(28, 0, 0, SNAPSCOPE_EV_XID_ASSIGNED, 501).add(29, 0, 0, SNAPSCOPE_EV_XMIN_CLEARED, 500);
    statement(events, 30);
    events.add(39, 0, 0, SNAPSCOPE_EV_XMIN_CLEARED, 500, 499).add(40, 0, 0, SNAPSCOPE_EV_XACT_END, 501);
    statement(events, 50);
    events.add(59, 0, 0, SNAPSCOPE_EV_XMIN_CLEARED, 500);
    std::vector<std::uint32_t> reads;
    for (const Operation& operation : fold(events))
        if (operation.kind == OperationKind::xmin_store)
            reads.push_back(operation.own_xmin_reads);
    EXPECT_EQ(reads, (std::vector<std::uint32_t>{0, 2, 0, 0, 0, 1, 0, 2}))
        << "twice by a portal that selects, once where it was advanced";
}

TEST(EventFold, WhatHasNoOtherHalfIsCounted) {
    TestEvents events;
    events.add(1, 0, 0, SNAPSCOPE_EV_SNAPSHOT_DONE);
    events.add(2, 1, 0, SNAPSCOPE_EV_SNAPSHOT_START);
    events.add(3, 1, 0, SNAPSCOPE_EV_SNAPSHOT_START);
    events.add(4, 99, 0, SNAPSCOPE_EV_SNAPSHOT_START);
    FoldCounts counts;
    EXPECT_EQ(fold(events, &counts).size(), 1U);
    EXPECT_EQ(counts.without_start, 1U);
    EXPECT_EQ(counts.without_end, 2U);
    EXPECT_EQ(counts.foreign, 1U);
}

TEST(EventFold, TheWatermarkWaitsForOpenSnapshots) {
    EventFold fold(10, std::nullopt);
    TestEvents events;
    events.add(100, 1, 0, SNAPSCOPE_EV_SNAPSHOT_START).add(200, 2, 0, SNAPSCOPE_EV_SNAPSHOT_START);
    for (const Event& event : events.events)
        (void)fold.fold(event);
    EXPECT_EQ(fold.watermark(300), 100);
    TestEvents end;
    end.add(300, 1, 0, SNAPSCOPE_EV_SNAPSHOT_DONE);
    (void)fold.fold(end.events[0]);
    EXPECT_EQ(fold.watermark(300), 200);
}

TEST(EventFold, ArbitraryEventsDoNoHarm) {
    std::mt19937_64 random(5);
    EventFold fold(10, 1e-300);
    for (int i = 0; i < 200'000; ++i) {
        Event event;
        event.time_ns = i;
        event.slot = static_cast<std::uint32_t>(random() % 12);
        event.type = static_cast<std::uint8_t>(random() % 20);
        event.outcome = static_cast<std::uint8_t>(random());
        event.flags = static_cast<std::uint16_t>(random());
        event.a = static_cast<std::uint32_t>(random());
        event.b = static_cast<std::uint32_t>(random() % 4);
        const auto operation = fold.fold(event);
        if (operation) {
            EXPECT_LT(operation->slot, 10U);
            EXPECT_LE(operation->start_ns, operation->end_ns);
        }
        EXPECT_LE(fold.watermark(i), i);
    }
    EXPECT_EQ(fold.counts().events, 200'000U);
}

// ---- another mode ----

Operation taken(std::uint32_t slot, std::int64_t from, std::int64_t to) {
    Operation out;
    out.slot = slot;
    out.start_ns = from;
    out.end_ns = to;
    return out;
}
Operation ended(std::uint32_t slot, std::int64_t at, std::uint32_t xid) {
    Operation out = taken(slot, at, at);
    out.kind = OperationKind::xact_end;
    out.xid = xid;
    return out;
}
SnapshotPath path(ModeReplay& replay, Operation operation) {
    (void)replay.replay(operation);
    return operation.path;
}

TEST(ModeReplay, TheFirstAfterAWipeFillsTheCopyAndTheRestUseIt) {
    ModeReplay replay(CacheMode::copy, 10);
    EXPECT_EQ(path(replay, taken(0, 0, 10)), SnapshotPath::rebuild);
    EXPECT_EQ(path(replay, taken(1, 5, 12)), SnapshotPath::lost_scan) << "the copy was being filled";
    EXPECT_EQ(path(replay, taken(2, 20, 30)), SnapshotPath::locked_copy);
    auto reader = ended(1, 40, 0);
    EXPECT_FALSE(replay.replay(reader).wipes_first);
    auto writer = ended(1, 41, 700);
    EXPECT_TRUE(replay.replay(writer).wipes_first);
    EXPECT_FALSE(replay.replay(writer).wipes_first) << "it is wiped already";
    EXPECT_EQ(path(replay, taken(2, 50, 60)), SnapshotPath::rebuild);
}

TEST(ModeReplay, SpinWaitsLockfreeKeepsOffScans) {
    ModeReplay spin(CacheMode::spin, 10);
    (void)path(spin, taken(0, 0, 10));
    EXPECT_EQ(path(spin, taken(1, 5, 12)), SnapshotPath::locked_copy);
    ModeReplay lockfree(CacheMode::lockfree, 10);
    (void)path(lockfree, taken(0, 0, 10));
    EXPECT_EQ(path(lockfree, taken(1, 20, 21)), SnapshotPath::lockfree);
    EXPECT_EQ(path(lockfree, taken(1, 22, 23)), SnapshotPath::kept);
    EXPECT_EQ(path(lockfree, taken(2, 24, 25)), SnapshotPath::lockfree);
    ModeReplay off(CacheMode::off, 10);
    Operation reused = taken(0, 0, 1);
    reused.path = SnapshotPath::kept;
    EXPECT_EQ(path(off, reused), SnapshotPath::scan);
    Operation wipe = taken(0, 2, 2);
    wipe.kind = OperationKind::invalidation;
    EXPECT_TRUE(off.replay(wipe).drop);
}

} // namespace
} // namespace snapscope
