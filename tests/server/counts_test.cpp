// The sum that everything rests on: taken = reused + rebuilt + private scans,
// exactly, in the server's counters, in its ring events and in its USDT events,
// and the same number in all three.

#include "session.hpp"

#include <snapscope/lab/scratch_folder.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <optional>
#include <unistd.h>

namespace snapscope::test {
namespace {

class CountsTest : public ServerTest {
  protected:
    // Records while `pgbench ARGUMENTS` runs.
    snapscope::Run record(const std::vector<std::string>& sources, std::vector<std::string> load) {
        auto scratch = ScratchFolder::create();
        EXPECT_TRUE(scratch) << scratch.error().message();
        scratch_ = std::make_unique<ScratchFolder>(std::move(*scratch));
        const auto folder = scratch_->path() / "run.snap";
        load[0] = (patched_prefix() / "bin" / load[0]).string();
        std::vector<std::string> argv{SNAPSCOPE_PROGRAM,
                                      "record",
                                      "--pid",
                                      std::to_string(cluster().pid()),
                                      "--source",
                                      fmt::format("{}", fmt::join(sources, ",")),
                                      "--events",
                                      "--yes",
                                      "-o",
                                      folder.string(),
                                      "--"};
        argv.insert(argv.end(), load.begin(), load.end());
        const auto finished = run_program(cluster(), std::move(argv));
        status_ = finished.status;
        EXPECT_TRUE(status_ == 0 || status_ == 3) << finished.output;
        folder_ = folder;
        auto run = read_run(folder);
        EXPECT_TRUE(run) << run.error().message();
        return run ? std::move(*run) : snapscope::Run{};
    }

    static std::optional<std::int64_t> total(const snapscope::Run& run, const std::string& source,
                                             const std::string& name) {
        for (const auto& total : run.totals)
            if (total.source == source && total.name == name)
                return total.value;
        return std::nullopt;
    }

    struct Outcomes {
        std::int64_t taken, reused, rebuilt, private_scans;
        friend bool operator==(const Outcomes&, const Outcomes&) = default;
        friend void PrintTo(const Outcomes& o, std::ostream* out) {
            *out << o.taken << " = " << o.reused << " + " << o.rebuilt << " + " << o.private_scans;
        }
    };
    static Outcomes outcomes(const snapscope::Run& run, const std::string& source, const std::string& prefix) {
        const auto of = [&](const char* what) { return total(run, source, prefix + what).value_or(-1); };
        return {of("snapshots_taken"), of("snapshots_reused"), of("snapshots_rebuilt"), of("snapshots_private_scans")};
    }

    std::unique_ptr<ScratchFolder> scratch_;
    std::filesystem::path folder_;
    int status_ = -1; // of `record`
};

TEST_P(CountsTest, agree_between_counters_ring_events_and_usdt_events) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "USDT events need CAP_BPF and CAP_PERFMON; run as root";
    start({{"max_connections", "50"}, {"snapshot_event_ring_size", "4MB"}});
    ASSERT_EQ(run_program(cluster(), {"pgbench", "-i", "-q", "-s", "1"}).status, 0);

    const auto run = record({"ring", "ebpf"}, {"pgbench", "-n", "-c", "4", "-t", "250", "-M", "prepared"});

    EXPECT_EQ(status_, 0);
    for (const auto& source : run.sources) {
        if (source.name == "ring" || source.name == "ebpf") {
            EXPECT_EQ(source.state, SourceState::active) << source.name << ": " << source.reason;
            EXPECT_EQ(source.lost, 0U) << source.name;
        }
    }
    const auto counted = outcomes(run, "ring", "");
    EXPECT_EQ(counted.taken, counted.reused + counted.rebuilt + counted.private_scans);
    EXPECT_GE(counted.taken, 4 * 250 * 5) << "a tpcb-like transaction takes at least one snapshot a statement";
    EXPECT_EQ(outcomes(run, "ring", "event_"), counted);
    EXPECT_EQ(outcomes(run, "ebpf", ""), counted);
    for (const char* name : {"snapshots_waited", "snapshots_lockfree", "snapshots_kept", "snapshots_retries",
                             "snapshots_gave_up", "builder_spins", "horizon_refreshes"})
        EXPECT_EQ(total(run, "ebpf", name), total(run, "ring", name)) << name;
    if (GetParam() == "lockfree") {
        EXPECT_GT(total(run, "ring", "snapshots_lockfree"), 0);
        EXPECT_GT(total(run, "ring", "snapshots_kept"), 0);
    }
    if (GetParam() == "off") {
        EXPECT_EQ(counted.private_scans, counted.taken);
    } else {
        EXPECT_GT(counted.reused, 0);
        EXPECT_GT(counted.rebuilt, 0);
    }
    EXPECT_EQ(total(run, "ring", "xacts_with_xid"), 1000);
    EXPECT_EQ(total(run, "ring", "xids_assigned"), 1000);
    EXPECT_EQ(total(run, "ebpf", "xids_assigned"), 1000);
    EXPECT_EQ(total(run, "ebpf", "xacts_with_xid"), 1000);
}

// What others read our files with: ajv for run.json, babeltrace2 for the events,
// and our own strict check for the trace that viewers get.
TEST_P(CountsTest, are_read_by_other_programs) {
    start({{"max_connections", "50"}, {"snapshot_event_ring_size", "4MB"}});
    ASSERT_EQ(run_program(cluster(), {"pgbench", "-i", "-q", "-s", "1"}).status, 0);
    const auto run = record({"ring", "sched", "sql"}, {"pgbench", "-n", "-c", "2", "-t", "100"});

    const auto schema =
        run_program(cluster(), {"/usr/bin/env", "node", SNAPSCOPE_SOURCE_DIR "/tests/schema/check.mjs", "--modules",
                                SNAPSCOPE_SCHEMA_MODULES, (folder_ / "run.json").string()});
    EXPECT_TRUE(schema.status == 0 || schema.status == 77) << schema.output;

    const auto trace = run_program(cluster(), {"/usr/bin/babeltrace2", "--component", "sink.utils.counter",
                                               "--component", "source.ctf.fs", "--params",
                                               fmt::format("inputs=[\"{}\"]", (folder_ / "events").string())});
    EXPECT_EQ(trace.status, 0) << trace.output;
    const auto snapshots = outcomes(run, "ring", "event_").taken;
    EXPECT_GT(snapshots, 0);

    const auto exported = scratch_->path() / "trace.json";
    const auto written = run_program(
        cluster(), {SNAPSCOPE_PROGRAM, "export", folder_.string(), "--format", "perfetto", "-o", exported.string()});
    EXPECT_EQ(written.status, 0) << written.output;
    const auto checked = run_program(cluster(), {SNAPSCOPE_PROGRAM, "trace", "check", exported.string()});
    EXPECT_EQ(checked.status, 0) << checked.output;
    if (schema.status == 77)
        GTEST_SKIP() << "run.json was not held against its schema: " << schema.output;
}

TEST_P(CountsTest, say_how_many_events_a_small_ring_lost) {
    start({{"max_connections", "50"}, {"snapshot_event_ring_size", "4kB"}});
    ASSERT_EQ(run_program(cluster(), {"pgbench", "-i", "-q", "-s", "1"}).status, 0);
    const auto run = record({"ring"}, {"pgbench", "-n", "-S", "-M", "prepared", "-c", "1", "-t", "20000"});

    const auto lost = total(run, "ring", "events_lost").value_or(-1);
    const auto missing = outcomes(run, "ring", "").taken - outcomes(run, "ring", "event_").taken;
    EXPECT_GE(lost, 0);
    EXPECT_GE(missing, 0);
    EXPECT_LE(missing, lost) << "a snapshot without an event is a lost event";
    EXPECT_EQ(status_, lost == 0 ? 0 : 3);
    for (const auto& source : run.sources) {
        if (source.name == "ring") {
            EXPECT_EQ(static_cast<std::int64_t>(source.lost), lost);
            EXPECT_EQ(source.state, lost == 0 ? SourceState::active : SourceState::degraded);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Mode, CountsTest, every_mode(), name_of_mode);

} // namespace
} // namespace snapscope::test
