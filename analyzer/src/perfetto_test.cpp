#include "test_source.hpp"

#include <snapscope/analyzer/perfetto.hpp>
#include <snapscope/analyzer/trace_check.hpp>
#include <snapscope/probes/abi.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

namespace snapscope {
namespace {

using nlohmann::json;
constexpr std::int64_t t0 = 5'000'000'000'000; // the host has been up for a while

class HandWritten final : public EventStream {
  public:
    explicit HandWritten(std::deque<Item> items) : items_(std::move(items)) {}
    Result<std::optional<Item>> next() override {
        if (items_.empty())
            return breaks ? Result<std::optional<Item>>(fail("ring-00001: byte 17: not a packet")) : std::nullopt;
        Item item = items_.front();
        items_.pop_front();
        return std::optional(item);
    }
    [[nodiscard]] std::uint64_t lost(EventSource) const override { return 3; }
    [[nodiscard]] bool truncated() const override { return false; }
    bool breaks = false;

  private:
    std::deque<Item> items_;
};

Event make(std::uint8_t type, std::int64_t at_ns, std::uint32_t slot = 7, std::uint32_t pid = 1007) {
    Event event;
    event.type = type;
    event.time_ns = t0 + at_ns;
    event.slot = slot;
    event.pid = pid;
    return event;
}

Event start(std::int64_t at, std::uint32_t slot = 7, std::uint32_t pid = 1007) {
    return make(SNAPSCOPE_EV_SNAPSHOT_START, at, slot, pid);
}

Event done(std::int64_t at, std::uint32_t slot = 7, std::uint32_t pid = 1007) {
    Event event = make(SNAPSCOPE_EV_SNAPSHOT_DONE, at, slot, pid);
    event.outcome = SNAPSCOPE_OUTCOME_REBUILT;
    event.flags = SNAPSCOPE_FLAG_WAITED | SNAPSCOPE_FLAG_SUBOVERFLOWED;
    event.lines = 21;
    event.a = 11, event.b = 12, event.c = 13, event.d = 4294967295U;
    return event;
}

Run small_run() {
    snapscope::Run run;
    run.id = "0123456789abcdef0123456789abcdef";
    run.finished = true;
    run.clock.start_ns = t0 - 1000;
    run.clock.end_ns = t0 + 1'000'000;
    run.clock.wall_start = "2024-05-01T12:00:00Z";
    run.clock.ticks_per_ns = 2.0;
    run.server.version = "13.16\x1b[31m\xff";
    run.server.pid = 4242;
    Slot slot;
    slot.slot = 7;
    slot.pid = 1007;
    slot.backend = "client \"backend\"";
    run.slots.push_back(slot);
    return run;
}

struct Exported {
    std::string text;
    json document;
    PerfettoResult result;

    // Events of a phase, in order.
    [[nodiscard]] std::vector<json> of(const std::string& phase) const {
        std::vector<json> out;
        for (const json& event : document["traceEvents"])
            if (event["ph"] == phase)
                out.push_back(event);
        return out;
    }
    [[nodiscard]] std::vector<std::string> names(const std::string& phase) const {
        std::vector<std::string> out;
        for (const json& event : of(phase))
            out.push_back(event["name"]);
        return out;
    }
};

TraceReport check_text(const std::string& text) {
    std::size_t at = 0;
    return check_trace([&](char* data, std::size_t size) -> Result<std::size_t> {
               const std::size_t bytes = std::min(size, text.size() - at);
               std::memcpy(data, text.data() + at, bytes);
               at += bytes;
               return bytes;
           })
        .value();
}

// Exports, and holds every rule against what came out.
Exported export_stream(const Run& run, EventStream* stream, const PerfettoOptions& options = {},
                       EventSource source = EventSource::ring) {
    Exported out;
    const auto result = write_perfetto(
        run, stream, source,
        [&](std::string_view bytes) -> Status {
            out.text += bytes;
            return {};
        },
        options);
    EXPECT_TRUE(result);
    out.result = result.value_or(PerfettoResult{});
    out.document = json::parse(out.text, nullptr, false);
    EXPECT_FALSE(out.document.is_discarded());
    const TraceReport report = check_text(out.text);
    for (const TraceViolation& violation : report.violations)
        ADD_FAILURE() << violation.rule << " at byte " << violation.offset << ": " << violation.message;
    return out;
}

Exported export_events(const std::vector<Event>& events, const Run& run = small_run(),
                       const PerfettoOptions& options = {}) {
    std::deque<EventStream::Item> items;
    for (const Event& event : events)
        items.push_back({EventSource::ring, event});
    HandWritten stream(items);
    return export_stream(run, &stream, options);
}

TEST(Perfetto, ASnapshotIsASliceWithItsArgs) {
    const auto out = export_events({start(100), done(1350)});
    const auto slices = out.of("X");
    ASSERT_EQ(slices.size(), 1U);
    EXPECT_EQ(slices[0]["name"], "snapshot");
    EXPECT_EQ(slices[0]["pid"], 4242);
    EXPECT_EQ(slices[0]["tid"], 1007);
    EXPECT_NE(out.text.find("\"ts\":1.100,\"dur\":1.250"), std::string::npos); // epoch is the run's start
    EXPECT_EQ(slices[0]["args"], json::parse(R"({"outcome":"rebuilt","xcnt":11,"subxcnt":12,"lines":21,"xmin":13,
        "xmax":4294967295,"flags":"suboverflowed|waited","cpu":0})"));
    EXPECT_EQ(out.result.snapshots, 1U);
    EXPECT_EQ(out.document["otherData"]["epoch_monotonic_ns"], t0 - 1000);
    EXPECT_EQ(out.document["otherData"], out.document["metadata"]);
    EXPECT_EQ(out.document["otherData"]["events_lost"], 3);
}

TEST(Perfetto, ThreadsAreNamedByPidSlotAndType) {
    const auto out = export_events({start(1), done(2), start(3, 9, 0), done(4, 9, 0)});
    const auto metadata = out.of("M");
    ASSERT_EQ(metadata.size(), 5U);
    EXPECT_EQ(metadata[1]["args"]["name"], "backend 1007 slot 7 (client \"backend\")");
    EXPECT_EQ(metadata[2]["args"]["sort_index"], 7);
    EXPECT_EQ(metadata[3]["args"]["name"], "backend of unknown pid, slot 9");
    EXPECT_GT(metadata[3]["tid"], 4194304); // no pid of Linux
}

TEST(Perfetto, WaitsAndRebuildsKeepTheirLengthInsideOfTheSnapshot) {
    Event rebuild = make(SNAPSCOPE_EV_REBUILD, 1000);
    rebuild.d = 800; // ticks: 400 ns
    Event wait = make(SNAPSCOPE_EV_WAIT, 1000);
    wait.a = 200; // 100 ns
    wait.b = SNAPSCOPE_WAIT_LOCK;
    const auto out = export_events({start(0), rebuild, wait, done(1000)});
    EXPECT_EQ(out.names("b"), (std::vector<std::string>{"wait for lock", "rebuild"}));
    EXPECT_EQ(out.of("b")[0]["ts"], 1.000);
    EXPECT_EQ(out.of("e")[0]["ts"], 1.100);
    EXPECT_EQ(out.of("b")[1]["ts"], 1.100);
    EXPECT_EQ(out.of("e")[1]["ts"], 1.500);
    EXPECT_EQ(out.document["otherData"]["waits_and_rebuilds_moved"], 0);
}

TEST(Perfetto, APartLongerThanItsSnapshotIsCutAndCounted) {
    Event wait = make(SNAPSCOPE_EV_WAIT, 1000);
    wait.a = 0xFFFFFFFFU;
    const auto out = export_events({start(0), wait, done(1000)});
    EXPECT_EQ(out.of("b")[0]["args"]["ticks_saturated"], true);
    EXPECT_EQ(out.of("e")[0]["ts"], 2.000);
    EXPECT_EQ(out.document["otherData"]["waits_and_rebuilds_moved"], 1);
}

TEST(Perfetto, WithoutACalibratedClockAPartIsAnInstant) {
    snapscope::Run run = small_run();
    run.clock.ticks_per_ns.reset();
    Event wait = make(SNAPSCOPE_EV_WAIT, 10);
    wait.a = 200;
    const auto out = export_events({start(0), wait, done(1000)}, run);
    EXPECT_TRUE(out.of("b").empty());
    EXPECT_EQ(out.names("i"), (std::vector<std::string>{"trace begins", "wait for unknown"}));
}

TEST(Perfetto, InvalidationsCarryTheirReason) {
    Event event = make(SNAPSCOPE_EV_INVALIDATE, 10);
    event.outcome = SNAPSCOPE_REASON_VACUUM_FLAG;
    const auto out = export_events({event});
    EXPECT_EQ(out.of("i")[1]["args"]["reason"], "vacuum_flag");
    EXPECT_EQ(out.of("i")[1]["s"], "t");
}

TEST(Perfetto, ALongSnapshotStandsBeforeTheShortOnesInsideItsTime) {
    const auto out = export_events(
        {start(0, 1, 11), start(10, 2, 12), done(20, 2, 12), start(30, 2, 12), done(40, 2, 12), done(50, 1, 11)});
    std::vector<int> tids;
    for (const json& slice : out.of("X"))
        tids.push_back(slice["tid"]);
    EXPECT_EQ(tids, (std::vector<int>{11, 12, 12}));
}

TEST(Perfetto, HalfSnapshotsAreInstantsAndCounted) {
    const auto out = export_events({done(5), start(10), start(20), done(30), start(40)});
    EXPECT_EQ(out.names("i"), (std::vector<std::string>{"trace begins", "snapshot without a start",
                                                        "snapshot without an end", "snapshot without an end"}));
    EXPECT_EQ(out.of("X").size(), 1U);
    EXPECT_EQ(out.document["otherData"]["snapshots_without_start"], 1);
    EXPECT_EQ(out.document["otherData"]["snapshots_without_end"], 2);
}

TEST(Perfetto, ASnapshotLeftOpenDoesNotMakeMemoryGrow) {
    std::vector<Event> events{start(0, 1, 11)};
    for (int i = 1; i <= 1000; ++i) {
        events.push_back(start(100 * i));
        events.push_back(done(100 * i + 50));
    }
    events.push_back(done(200000, 1, 11));
    PerfettoOptions options;
    options.pending_limit = 10;
    const auto out = export_events(events, small_run(), options);
    EXPECT_EQ(out.of("X").size(), 1000U);
    EXPECT_EQ(out.names("i"), (std::vector<std::string>{"trace begins", "long snapshot begins", "long snapshot ends"}));
    EXPECT_EQ(out.document["otherData"]["snapshots_too_long_for_a_slice"], 1);
}

TEST(Perfetto, TwoSlotsOfOnePidNeverBreakTheNesting) {
    const auto out = export_events({start(0, 1, 11), start(10, 2, 11), done(20, 1, 11), done(30, 2, 11)});
    EXPECT_EQ(out.of("X").size(), 1U);
    EXPECT_EQ(out.of("b").size(), 1U);
    EXPECT_EQ(out.document["otherData"]["snapshots_overlapping"], 1);
}

TEST(Perfetto, OnlyTheChosenSourceIsDrawn) {
    const auto items = [] {
        return std::deque<EventStream::Item>{{EventSource::ebpf, start(0)},
                                             {EventSource::ring, start(1)},
                                             {EventSource::ebpf, done(2)},
                                             {EventSource::ring, done(3)}};
    };
    HandWritten probe(items());
    EXPECT_EQ(preferred_source(probe).value(), EventSource::ring);
    HandWritten stream(items());
    EXPECT_EQ(export_stream(small_run(), &stream).of("X").size(), 1U);
    HandWritten alone({{EventSource::ebpf, start(0)}, {EventSource::ebpf, done(2)}});
    EXPECT_EQ(preferred_source(alone).value(), EventSource::ebpf);
    HandWritten again({{EventSource::ebpf, start(0)}, {EventSource::ebpf, done(2)}});
    EXPECT_EQ(export_stream(small_run(), &again, {}, EventSource::ebpf).of("X").size(), 1U);
}

TEST(Perfetto, CountersAreRatesOfTheirWindows) {
    snapscope::Run run = small_run();
    run.sources.push_back(source("hitm", EvidenceKind::measured, SourceState::active));
    run.windows.start_ns = {t0, t0 + 500'000'000, t0 + 2'000'000'000};
    run.windows.end_ns = {t0 + 500'000'000, t0 + 1'000'000'000, t0 + 2'500'000'000};
    run.windows.series = {
        {"snapshots_taken", "ring", "1", {10, 20, 30}}, {"snapshots_reused", "ring", "1", {5, 10, std::nullopt}},
        {"snapshots_rebuilt", "ring", "1", {1, 2, 3}},  {"xacts_committed", "sql", "1", {100, std::nullopt, 300}},
        {"xacts_rolled_back", "sql", "1", {1, 1, 1}},   {"transfers_remote", "hitm", "1", {7, 8, 9}}};
    const auto out = export_stream(run, nullptr);
    EXPECT_EQ(out.names("C"), (std::vector<std::string>{"tps", "snapshots/s", "transfers_remote/s (measured, hitm)",
                                                        "snapshots/s", "transfers_remote/s (measured, hitm)", "tps",
                                                        "snapshots/s", "transfers_remote/s (measured, hitm)"}));
    const auto counters = out.of("C");
    EXPECT_EQ(counters[0]["args"]["tps"], 202);
    EXPECT_EQ(counters[1]["args"], json::parse(R"({"reused":10,"rebuilt":2})"));
    EXPECT_EQ(counters[6]["args"], json::parse(R"({"rebuilt":6})")); // absent is not zero
}

TEST(Perfetto, AStoppedExportIsStillATrace) {
    std::atomic<bool> stop{true};
    PerfettoOptions options;
    options.stop = &stop;
    const auto out = export_events({start(0), done(1)}, small_run(), options);
    EXPECT_EQ(out.result.problem, "interrupted");
    EXPECT_EQ(out.document["otherData"]["complete"], false);
}

TEST(Perfetto, ABrokenInputClosesTheTraceAndSaysSo) {
    HandWritten stream({{EventSource::ring, start(0)}, {EventSource::ring, done(1)}});
    stream.breaks = true;
    const auto out = export_stream(small_run(), &stream);
    EXPECT_EQ(out.of("X").size(), 1U);
    EXPECT_EQ(out.result.problem, "ring-00001: byte 17: not a packet");
}

TEST(Perfetto, AFailedWriteEndsTheExport) {
    HandWritten stream({{EventSource::ring, start(0)}, {EventSource::ring, done(1)}});
    const auto result = write_perfetto(small_run(), &stream, EventSource::ring,
                                       [](std::string_view) -> Status { return fail("disk full"); }, {});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().what, "disk full");
}

// Any mixture of events, sane or not: every rule holds and memory stays small.
TEST(Perfetto, WhateverComesInEveryRuleHolds) {
    std::mt19937 random(31); // NOLINT(cert-msc51-cpp)
    for (int round = 0; round < 60; ++round) {
        std::vector<Event> events;
        std::int64_t at = static_cast<std::int64_t>(random() % 3) * -2000;
        for (int i = 0; i < 400; ++i) {
            at += static_cast<std::int64_t>(random() % 4 * (random() % 300));
            Event event = make(static_cast<std::uint8_t>(random() % (SNAPSCOPE_EV_COUNT + 1)), at,
                               static_cast<std::uint32_t>(random() % 6), static_cast<std::uint32_t>(random() % 4));
            if (random() % 2 == 0)
                event.type = random() % 2 == 0 ? SNAPSCOPE_EV_SNAPSHOT_START : SNAPSCOPE_EV_SNAPSHOT_DONE;
            event.outcome = static_cast<std::uint8_t>(random() % 20);
            event.a = static_cast<std::uint32_t>(random() % 2000);
            event.d = static_cast<std::uint32_t>(random() % 2000);
            events.push_back(event);
        }
        snapscope::Run run = small_run();
        if (round % 5 == 0)
            run.server.pid = 0;
        PerfettoOptions options;
        options.pending_limit = 1 + random() % 50;
        const auto out = export_events(events, run, options);
        ASSERT_GT(out.result.written, 2U);
        if (HasFailure())
            break;
    }
}

} // namespace
} // namespace snapscope
