// From events to transfers: by hand, and made-up loads.
#include "test_events.hpp"

#include <snapscope/analyzer/synthetic_load.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

namespace snapscope {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr auto memory = static_cast<std::size_t>(Distance::from_memory);
constexpr auto far = static_cast<std::size_t>(Distance::cross_socket);

void connect(Run& run, std::uint32_t entry) {
    Slot slot;
    slot.slot = entry;
    slot.pid = 1000 + entry;
    run.slots.push_back(slot);
}

// Two backends in entries 0 and 1, which share a line; nothing else of the segment matters.
Run two_backends(const char* mode) {
    Run run;
    run.finished = run.events = true;
    run.server.snapshot_cache = mode;
    run.server.max_connections = 100;
    run.layout.arrays = {{"PGXACT", 0x10000, 12, 126, 0, 0},
                         {"pgprocnos", 0x20028, 4, 122, 0, 0},
                         {"ProcArrayLock", 0x30000, 16, 1, 0, 0},
                         {"latestCompletedXid", 0x40000, 4, 1, 0, 0},
                         {"snapshot_copy", 0x50000, 9999, 1, 0, 0}};
    connect(run, 0);
    connect(run, 1);
    return run;
}

SimulateOptions on(const char* shape) {
    SimulateOptions options;
    options.topology = topology_from_shape(shape).value();
    return options;
}

SimulationResult must(const Run& run, const TestEvents& events, const SimulateOptions& options) {
    auto result = simulate(run, events.pull(), options);
    EXPECT_TRUE(result) << result.error().message();
    return std::move(result).value();
}

TEST(Simulate, TwoScansOnTwoSocketsByHand) {
    TestEvents events;
    events.add(1, 0, 0, SNAPSCOPE_EV_XACT_END).add(2, 1, 1, SNAPSCOPE_EV_XACT_END);
    events.snapshot(10, 20, 0, 0, SNAPSCOPE_OUTCOME_PRIVATE_SCAN).add(21, 0, 0, SNAPSCOPE_EV_XMIN_SET, 500);
    events.snapshot(30, 40, 1, 1, SNAPSCOPE_OUTCOME_PRIVATE_SCAN).add(41, 1, 1, SNAPSCOPE_EV_XMIN_SET, 500);
    const auto result = must(two_backends("off"), events, on("2x1"));
    // Each scan: lock looked at and taken, xid, head, numbers, entries, own entry read and written, lock.
    EXPECT_EQ(result.total.accesses, 2U + 2 * 9U);
    EXPECT_EQ(result.total.transfers[memory], 4U) << "entries, lock, xid, head";
    EXPECT_EQ(result.total.transfers[far], 2U + 4U) << "the entries to and fro, then all four to the other socket";
    EXPECT_EQ(result.total.upgrades[far], 3U) << "both publish into a line that the other has read; a lock looked at";
    EXPECT_EQ(result.cold, 4U);
    EXPECT_EQ(result.snapshots, 2U);
    EXPECT_EQ(result.transactions, 2U);
    EXPECT_EQ(result.lines_per_scan, 1.0);
    EXPECT_DOUBLE_EQ(*result.cycles_per_snapshot, (4 * 330 + 9 * 400) / 2.0);
    ASSERT_FALSE(result.by_line.empty());
    EXPECT_EQ(result.by_line.front().structure, "PGXACT");
    EXPECT_EQ(result.by_line.front().address, 0x10000U);
}

const EntryWords& words_of(const SimulationResult& result, std::uint32_t slot) {
    const auto at = std::ranges::find(result.entry_words, slot, &EntryWords::slot);
    EXPECT_NE(at, result.entry_words.end()) << slot;
    return *at;
}

TEST(Simulate, CountsEachWordByHand) {
    TestEvents events;
    events.add(1, 0, 0, SNAPSCOPE_EV_XACT_END).add(2, 1, 1, SNAPSCOPE_EV_XACT_END);
    events.snapshot(10, 20, 0, 0, SNAPSCOPE_OUTCOME_PRIVATE_SCAN).add(21, 0, 0, SNAPSCOPE_EV_XMIN_SET, 500);
    events.snapshot(30, 40, 1, 1, SNAPSCOPE_OUTCOME_PRIVATE_SCAN).add(41, 1, 1, SNAPSCOPE_EV_XMIN_SET, 500);
    events.add(50, 0, 0, SNAPSCOPE_EV_XID_ASSIGNED, 501).add(60, 0, 0, SNAPSCOPE_EV_XACT_END, 501);
    events.add(70, 1, 1, SNAPSCOPE_EV_SLOT_RELEASED);
    events.snapshot(80, 90, 0, 0, SNAPSCOPE_OUTCOME_PRIVATE_SCAN);
    const auto result = must(two_backends("off"), events, on("2x1"));
    EXPECT_EQ(result.lock_word.reads, 3U + 1U + 1U) << "three scans, an end with an xid, and a leave";
    EXPECT_EQ(result.lock_word.writes, 10U);
    const auto& first = words_of(result, 0);
    EXPECT_EQ(first.xid.reads, 3U + 1U) << "and when its status is set";
    EXPECT_EQ(first.xid.writes, 2U) << "assigned, cleared";
    EXPECT_EQ(first.xmin.reads, 3U + 2U) << "a stock scan asks for its own once more";
    EXPECT_EQ(first.xmin.writes, 4U) << "two ends, two snapshots that publish";
    const auto& second = words_of(result, 1);
    EXPECT_EQ(second.xid.reads, 2U) << "gone before the last scan";
    EXPECT_EQ(second.xmin.reads, 2U + 1U + 1U) << "and when it leaves the array";
    EXPECT_EQ(second.xmin.writes, 2U);
}

TEST(Simulate, ATryWithoutTheLockThatFailsTakesItsXminBack) {
    TestEvents events;
    events.add(1, 0, 0, SNAPSCOPE_EV_XACT_END).add(2, 1, 1, SNAPSCOPE_EV_XACT_END);
    events.snapshot(10, 20, 0, 0, SNAPSCOPE_OUTCOME_REUSED,
                    SNAPSCOPE_FLAG_LOCKFREE | (2U << SNAPSCOPE_FLAG_RETRIES_SHIFT));
    events.add(21, 0, 0, SNAPSCOPE_EV_XMIN_SET, 500);
    events.add(30, 1, 1, SNAPSCOPE_EV_SNAPSHOT_START).add(39, 1, 1, SNAPSCOPE_EV_HORIZON_REFRESH);
    events.add(40, 1, 1, SNAPSCOPE_EV_SNAPSHOT_DONE).add(41, 1, 1, SNAPSCOPE_EV_XMIN_SET, 500);
    events.events[events.events.size() - 2].outcome = SNAPSCOPE_OUTCOME_REUSED;
    const auto lockfree = must(two_backends("lockfree"), events, on("2x1"));
    EXPECT_EQ(words_of(lockfree, 0).xmin.writes, 1U + 1U + 4U) << "its end, its snapshot, two that were wiped";
    EXPECT_EQ(words_of(lockfree, 1).xmin.writes, 1U + 1U + 2U) << "the horizon had to be computed under the lock";
    EXPECT_EQ(words_of(lockfree, 0).xmin.reads, 1U) << "for that horizon";
    EXPECT_EQ(words_of(lockfree, 0).xid.reads, 0U);
    const auto copy = must(two_backends("copy"), events, on("2x1"));
    EXPECT_EQ(words_of(copy, 1).xmin.writes, 1U + 1U);
}

TEST(Simulate, ASubtransactionsXidIsNotTheEntrys) {
    TestEvents events;
    events.add(1, 0, 0, SNAPSCOPE_EV_XID_ASSIGNED, 501).add(2, 0, 0, SNAPSCOPE_EV_XID_ASSIGNED, 502, 1);
    const auto result = must(two_backends("off"), events, on("2x1"));
    EXPECT_EQ(words_of(result, 0).xid.writes, 1U);
}

TEST(Simulate, PaddedEntriesEndFalseSharingButNotTheScan) {
    TestEvents events;
    for (int i = 0; i < 100; ++i)
        events.add(10 * i, 0, 0, SNAPSCOPE_EV_XMIN_CLEARED, 5).add(10 * i + 5, 1, 1, SNAPSCOPE_EV_XMIN_CLEARED, 5);
    const auto shared = must(two_backends("off"), events, on("2x1"));
    EXPECT_EQ(shared.total.transfers[far], 199U);
    auto options = on("2x1");
    options.stride_bytes = 64;
    const auto padded = must(two_backends("off"), events, options);
    EXPECT_EQ(padded.total.transfers[far], 0U);
    EXPECT_EQ(padded.stride_bytes, 64U);
    EXPECT_THAT(padded.assumptions, Contains(HasSubstr("PGXACT")));
}

TEST(Simulate, TheCopyIsReadOnOneLineAndWipedByWriters) {
    TestEvents events;
    events.snapshot(10, 20, 0, 0, SNAPSCOPE_OUTCOME_REBUILT);
    events.snapshot(30, 40, 1, 1, SNAPSCOPE_OUTCOME_REUSED);
    events.snapshot(50, 60, 1, 1, SNAPSCOPE_OUTCOME_REUSED);
    const auto result = must(two_backends("copy"), events, on("2x1"));
    const auto header = std::ranges::find(result.by_structure, "snapshot_copy", &NamedTally::name);
    ASSERT_NE(header, result.by_structure.end());
    EXPECT_EQ(header->tally.transfers[far], 1U) << "once; the second copy finds it there";
    events.add(70, 0, 0, SNAPSCOPE_EV_INVALIDATE);
    events.events.back().outcome = SNAPSCOPE_REASON_XACT_END;
    events.add(71, 0, 0, SNAPSCOPE_EV_XACT_END, 900);
    const auto wiped = must(two_backends("copy"), events, on("2x1"));
    const auto again = std::ranges::find(wiped.by_structure, "snapshot_copy", &NamedTally::name);
    EXPECT_EQ(again->tally.upgrades[far], 1U);
}

TEST(Simulate, ScansOfTwoAtOnceAlternate) {
    // 100 other entries: 20 lines in three pieces. The second scan writes its entry in the middle of the first.
    snapscope::Run run = two_backends("off");
    for (std::uint32_t slot = 2; slot < 100; ++slot)
        connect(run, slot);
    TestEvents late;
    late.add(1, 99, 1, SNAPSCOPE_EV_XMIN_CLEARED, 5);
    late.snapshot(10, 1000, 0, 0, SNAPSCOPE_OUTCOME_PRIVATE_SCAN);
    TestEvents early = late;
    late.add(999, 99, 1, SNAPSCOPE_EV_XMIN_CLEARED, 5);  // behind the scan's last piece
    early.add(500, 99, 1, SNAPSCOPE_EV_XMIN_CLEARED, 5); // before it
    const auto moved = [&](const TestEvents& events) { return sum(must(run, events, on("2x1")).total.upgrades); };
    EXPECT_EQ(moved(late), 1U) << "entry 99 was read, and is written afterwards";
    EXPECT_EQ(moved(early), 0U) << "it was written before the scan came there";
}

TEST(Simulate, ModelledLinesOfAScanAreHeldAgainstTheServersOwnCount) {
    TestEvents events;
    events.snapshot(10, 20, 0, 0, SNAPSCOPE_OUTCOME_PRIVATE_SCAN);
    events.events.back().lines = 1;
    auto result = must(two_backends("off"), events, on("2x1"));
    EXPECT_EQ(result.lines_per_scan_recorded, 1.0);
    EXPECT_TRUE(result.warnings.empty());
    events.events.back().lines = 9;
    result = must(two_backends("off"), events, on("2x1"));
    EXPECT_EQ(result.lines_per_scan_recorded, 9.0);
    EXPECT_THAT(result.warnings, Contains(HasSubstr("does not know all entries")));
}

TEST(Simulate, BackendsThatComeAndGoChangeWhatAScanReads) {
    snapscope::Run run = two_backends("off");
    TestEvents events;
    events.add(1, 60, 0, SNAPSCOPE_EV_SLOT_TAKEN);
    events.snapshot(10, 20, 0, 0, SNAPSCOPE_OUTCOME_PRIVATE_SCAN);
    events.add(30, 60, 0, SNAPSCOPE_EV_SLOT_RELEASED);
    events.snapshot(40, 50, 0, 0, SNAPSCOPE_OUTCOME_PRIVATE_SCAN);
    const auto result = must(run, events, on("2x1"));
    EXPECT_EQ(result.lines_per_scan, 1.5) << "two lines, then one";
    EXPECT_EQ(result.entries_at_end, 2U);
}

TEST(Simulate, WhatCannotBeModelledIsRefusedInWords) {
    TestEvents events;
    events.snapshot(10, 20, 0, 77, SNAPSCOPE_OUTCOME_PRIVATE_SCAN);
    const auto error = [&](const snapscope::Run& run, const SimulateOptions& options) {
        const auto result = simulate(run, events.pull(), options);
        return result ? std::string("no error") : result.error().message();
    };
    EXPECT_THAT(error(two_backends("off"), on("2x1")), HasSubstr("CPU 77"));
    EXPECT_THAT(error(two_backends("n/a"), on("2x1")), HasSubstr("snapshot_cache"));
    snapscope::Run run = two_backends("off");
    run.layout.arrays.erase(run.layout.arrays.begin());
    EXPECT_THAT(error(run, on("2x1")), HasSubstr("PGXACT"));
    run = two_backends("off");
    run.events = false;
    EXPECT_THAT(simulate_folder(run, "/nonexistent", on("2x1")).error().message(), HasSubstr("--events"));
}

TEST(Simulate, LayoutsThatMakeNoSenseAreRefusedOrHarmless) {
    std::mt19937_64 random(3);
    TestEvents events;
    events.snapshot(10, 20, 0, 0, SNAPSCOPE_OUTCOME_REBUILT).add(30, 0, 0, SNAPSCOPE_EV_XACT_END, 5);
    const std::uint64_t odd[] = {0, 1, 11, 63, 0xffff, 1 << 14, ~std::uint64_t{0}, ~std::uint64_t{0} / 2, 0x10000};
    int accepted = 0;
    for (int i = 0; i < 400; ++i) {
        snapscope::Run run = two_backends("copy");
        Array& array = run.layout.arrays[random() % run.layout.arrays.size()];
        (random() % 3 == 0   ? array.address
         : random() % 2 == 0 ? array.stride_bytes
                             : array.entries) = odd[random() % std::size(odd)];
        const auto result = simulate(run, events.pull(), on("2x1"));
        accepted += result ? 1 : 0;
        if (!result) {
            EXPECT_FALSE(result.error().what.empty());
        }
    }
    EXPECT_GT(accepted, 0);
    EXPECT_LT(accepted, 400);
}

// ---- made-up loads ----

SimulationResult model(const char* text, std::optional<CacheMode> mode, SimulateOptions options) {
    const auto load = synthetic_load_from_text(text).value();
    options.mode = mode;
    options.cpus = CpuPolicy::round_robin;
    auto result = simulate(synthetic_run(load), synthetic_events(load, options.topology, options.cpus), options);
    EXPECT_TRUE(result) << result.error().message();
    return std::move(result).value();
}

double each(const SimulationResult& result) {
    return static_cast<double>(sum(result.total.transfers)) / static_cast<double>(result.snapshots);
}

TEST(Synthetic, AHundredNinetyTwoClientsMoveTheirArrayWithoutTheCacheAndNotWithIt) {
    const char* load = "clients=192,snapshots=20000";
    const auto off = model(load, CacheMode::off, on("2x24"));
    EXPECT_EQ(off.lines_per_scan, 37.0) << "as the layout has it";
    const auto copy = model(load, CacheMode::copy, on("2x24"));
    EXPECT_GT(each(off), 20) << "nearly every line was written by somebody since the last look";
    EXPECT_LT(each(copy), each(off) / 4);
    const auto lockfree = model(load, CacheMode::lockfree, on("2x24"));
    EXPECT_LT(each(lockfree), each(copy)) << "no lock line";
}

TEST(Synthetic, IdleConnectionsAreReadButDoNotMove) {
    const auto few = model("clients=8,snapshots=20000", CacheMode::off, on("2x4"));
    const auto many = model("clients=8,idle=1000,snapshots=20000", CacheMode::off, on("2x4"));
    EXPECT_GT(*many.lines_per_scan, 180);
    EXPECT_GT(many.total.accesses, 5 * few.total.accesses);
    EXPECT_NEAR(each(many), each(few), 0.2 * each(few) + 0.2);
}

TEST(Synthetic, WritersWipeTheCopy) {
    const auto reads = model("clients=16,snapshots=20000", CacheMode::copy, on("2x8"));
    const auto writes = model("clients=16,snapshots=20000,write_share=0.5", CacheMode::copy, on("2x8"));
    EXPECT_GT(each(writes), 2 * each(reads));
    const auto wipes = std::ranges::find(writes.by_purpose, "invalidation", &NamedTally::name);
    EXPECT_NE(wipes, writes.by_purpose.end());
}

TEST(Synthetic, TheSameTextGivesTheSameCounts) {
    auto options = on("2x4");
    const auto once = model("clients=20,snapshots=5000,seed=9", CacheMode::copy, options);
    options.threads = 3;
    const auto again = model("clients=20,snapshots=5000,seed=9", CacheMode::copy, options);
    EXPECT_EQ(once.total, again.total);
    EXPECT_EQ(to_json(once).dump(), to_json(again).dump());
    EXPECT_NE(once.total, model("clients=20,snapshots=5000,seed=8", CacheMode::copy, options).total);
    EXPECT_GE(once.snapshots, 5000U);
}

TEST(Synthetic, TextsThatSayNothingAreRefused) {
    for (const char* text : {"clients", "clients=", "clients=0", "clients=x", "clients=-1", "mode=fast", "speed=9",
                             "write_share=2", "write_share=nan", "snapshot_ns=0", "clients=192 idle=3",
                             "clients=100,max_connections=50", "clients=100,,=3"})
        EXPECT_FALSE(synthetic_load_from_text(text)) << text;
    EXPECT_EQ(synthetic_load_from_text("")->clients, 192U);
    EXPECT_EQ(describe(*synthetic_load_from_text(describe(*synthetic_load_from_text("idle=5,mode=spin")))),
              describe(*synthetic_load_from_text("idle=5,mode=spin")));
}

// ---- what is printed ----

TEST(SimulateJson, HasTheNamesOfTheContract) {
    const auto json = to_json(model("clients=4,snapshots=1000", CacheMode::off, on("2x2")));
    EXPECT_EQ(json["kind"], "modelled");
    EXPECT_EQ(json["protocol"], "mesi");
    EXPECT_TRUE(json["topology"].is_object());
    EXPECT_EQ(json["matrix_source"], "synthetic");
    EXPECT_TRUE(json["estimated_cycles_per_snapshot"].is_number());
    for (const char* name : {"same_core", "same_llc", "cross_llc", "cross_socket", "from_memory"}) {
        EXPECT_TRUE(json["transfers"][name].is_number_unsigned()) << name;
        EXPECT_TRUE(json["per_snapshot"][name].is_number()) << name;
    }
    EXPECT_TRUE(json["by_line"].is_array());
    EXPECT_GT(json["accesses"].get<std::uint64_t>(), 0U);
    EXPECT_FALSE(json["not_modelled"].empty());
    std::uint64_t structures = 0;
    for (const auto& row : json["by_structure"])
        structures += row["accesses"].get<std::uint64_t>();
    EXPECT_EQ(structures, json["accesses"].get<std::uint64_t>());
}

TEST(SimulateJson, NothingTakenIsNullAndNotZero) {
    TestEvents events;
    events.add(1, 0, 0, SNAPSCOPE_EV_XACT_END);
    const auto json = to_json(must(two_backends("off"), events, on("2x1")));
    EXPECT_EQ(json["snapshots"], 0);
    EXPECT_TRUE(json["per_snapshot"]["cross_socket"].is_null());
    EXPECT_TRUE(json["estimated_cycles_per_snapshot"].is_null());
    EXPECT_TRUE(json["lines_per_scan"]["modelled"].is_null());
}

} // namespace
} // namespace snapscope
