// What uprobes on an unpatched server count: exactly what a scripted session does.
#include "stock_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope::test {
namespace {

using testing::HasSubstr;

// A statement of its own takes two snapshots: to plan it, and to run it.
constexpr std::int64_t snapshots_each = 2;
constexpr int statements = 200;

using EbpfOnStock = StockTest;

// The start of a session takes as many as it likes: what N more statements add is known.
class Growth {
  public:
    Growth(const Run& once, const Run& twice) : once_(once), twice_(twice) {}
    std::optional<std::int64_t> of(const std::string& name) const {
        const auto before = total(once_, name);
        const auto after = total(twice_, name);
        return before && after ? std::optional(*after - *before) : std::nullopt;
    }

  private:
    const Run& once_;
    const Run& twice_;
};

std::uint64_t timed(const Run& run, const std::string& label) {
    std::uint64_t count = 0;
    for (const auto& histogram : run.histograms)
        if (histogram.name == "snapshot_duration" && histogram.source == "ebpf" && histogram.label == label)
            for (const auto bucket : histogram.counts)
                count += bucket;
    return count;
}

TEST_P(EbpfOnStock, CountsTheSnapshotsOfReaders) {
    (void)record("SELECT 1;", statements); // warms the session's shared parts
    const auto once = record("SELECT 1;", statements);
    EXPECT_EQ(status_, 0) << output_;
    const auto twice = record("SELECT 1;", 2 * statements);
    EXPECT_EQ(status_, 0) << output_;
    const Growth growth(once, twice);
    EXPECT_EQ(growth.of("snapshots_taken"), snapshots_each * statements);
    EXPECT_EQ(growth.of("snapshots_reused"), reuses() ? snapshots_each * statements : 0) << "nobody wrote";
    EXPECT_EQ(growth.of("snapshots_rebuilt"), 0);
    EXPECT_EQ(growth.of("snapshots_private_scans"), reuses() ? 0 : snapshots_each * statements);
    EXPECT_EQ(growth.of("xids_assigned"), 0);
    EXPECT_EQ(growth.of("xacts_with_xid"), 0);
    EXPECT_EQ(growth.of("xacts_without_xid"), statements);
    EXPECT_EQ(source_of(twice, "ebpf").state, SourceState::active) << source_of(twice, "ebpf").reason;
    EXPECT_EQ(static_cast<std::int64_t>(timed(twice, "")), total(twice, "snapshots_taken")) << "each one is timed";
}

TEST_P(EbpfOnStock, TellsRebuiltFromReused) {
    Session(cluster()).run("CREATE TABLE t (i int)");
    (void)record("INSERT INTO t VALUES (1);", statements);
    const auto once = record("INSERT INTO t VALUES (1);", statements);
    const auto twice = record("INSERT INTO t VALUES (1);", 2 * statements);
    EXPECT_EQ(status_, 0) << output_;
    const Growth growth(once, twice);
    EXPECT_EQ(growth.of("snapshots_taken"), snapshots_each * statements);
    // The first of a transaction sees that the one before has ended; the second finds nothing new.
    EXPECT_EQ(growth.of("snapshots_rebuilt"), reuses() ? statements : 0);
    EXPECT_EQ(growth.of("snapshots_reused"), reuses() ? statements : 0);
    EXPECT_EQ(growth.of("snapshots_private_scans"), reuses() ? 0 : snapshots_each * statements);
    EXPECT_EQ(growth.of("xids_assigned"), statements);
    EXPECT_EQ(growth.of("xacts_with_xid"), statements);
    EXPECT_EQ(growth.of("xacts_without_xid"), 0);
    EXPECT_EQ(total(twice, "xids_found"), 0) << "nobody else runs";
}

TEST_P(EbpfOnStock, CountsTheXidsThatScansFind) {
    Session writer(cluster());
    writer.run("CREATE TABLE t (i int)");
    writer.run("BEGIN");
    writer.run("INSERT INTO t VALUES (1)");
    Session(cluster()).run("INSERT INTO t VALUES (2)"); // ends later, so that the first lies below xmax
    const auto run = record("SELECT 1;", 10);
    EXPECT_EQ(status_, 0) << output_;
    const auto scans =
        total(run, "snapshots_rebuilt").value_or(-1) + total(run, "snapshots_private_scans").value_or(-1);
    EXPECT_GT(scans, 0);
    // One xid runs all the time.
    EXPECT_EQ(total(run, "xids_found"), scans);
}

TEST_P(EbpfOnStock, PutsEachSnapshotOnItsSlot) {
    Session session(cluster());
    const auto words = words_of(cluster());
    const auto slot = slot_of(words, session.pid());
    ASSERT_TRUE(slot);
    const auto run = record("SELECT 1;", 10);
    std::int64_t sum = 0;
    for (const auto& row : run.slots) {
        EXPECT_NE(row.slot, *slot) << "that session did nothing";
        sum += static_cast<std::int64_t>(row.taken.value_or(0));
    }
    EXPECT_EQ(sum, total(run, "snapshots_taken"));
}

TEST_P(EbpfOnStock, WaitsAreUnknownWithoutUsdt) {
    const auto run = record("SELECT 1;", 10);
    EXPECT_EQ(total(run, "lock_waits_exclusive").has_value(), reuses()) << "Debian builds with USDT, we do not";
}

TEST_P(EbpfOnStock, EventsAreThoseCounted) {
    const auto run = record("SELECT 1;", statements, {"--source", "ebpf", "--overhead", "100%", "--events"});
    EXPECT_EQ(status_, 0) << output_;
    const auto taken = total(run, "snapshots_taken").value_or(-1);
    const auto ends = total(run, "xacts_with_xid").value_or(-1) + total(run, "xacts_without_xid").value_or(-1);
    EXPECT_TRUE(run.events);
    EXPECT_EQ(source_of(run, "ebpf").lost, 0U);
    EXPECT_EQ(static_cast<std::int64_t>(source_of(run, "ebpf").records), 2 * taken + ends);
}

TEST_P(EbpfOnStock, AboveItsBudgetItSamplesAndSaysSo) {
    // Nothing else to do than what is probed: far above a hundredth of a percent.
    const auto run = record("SELECT 1;", 30000, {"--source", "ebpf", "--overhead", "0.02%", "--interval", "50"});
    const auto& ebpf = source_of(run, "ebpf");
    if (ebpf.state == SourceState::unavailable) {
        EXPECT_THAT(ebpf.hint, HasSubstr("--overhead"));
        EXPECT_EQ(status_, 3);
        return;
    }
    EXPECT_EQ(ebpf.state, SourceState::degraded);
    EXPECT_THAT(ebpf.reason, HasSubstr("% of the time"));
    const auto observed = total(run, "observed_ns");
    ASSERT_TRUE(observed);
    EXPECT_LT(*observed, run.clock.end_ns - run.clock.start_ns);
    EXPECT_LT(total(run, "snapshots_taken").value_or(0), snapshots_each * 30000) << "totals are not scaled";
}

INSTANTIATE_TEST_SUITE_P(Server, EbpfOnStock, every_stock_server(), name_of_server);

} // namespace
} // namespace snapscope::test
