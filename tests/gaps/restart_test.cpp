// A server that crashes, is restarted or replaced during a recording: the gap is
// stated, and what lies before and behind it is counted exactly.

#include "recorder.hpp"
#include "remains.hpp"
#include "session.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/collector/capabilities.hpp>
#include <snapscope/lab/scratch_folder.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <csignal>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace snapscope::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr int writes_before = 230;
constexpr int writes_behind = 140;

// The parameter is a server: "patched", "unpatched13" or "debian15".
class Restart : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        if (server_prefix(GetParam()).empty())
            GTEST_SKIP() << GetParam() << " is not here";
        auto scratch = ScratchFolder::create();
        ASSERT_TRUE(scratch) << scratch.error().message();
        scratch_ = std::make_unique<ScratchFolder>(std::move(*scratch));
    }

    void start(const fs::path& prefix) {
        ClusterOptions options;
        options.prefix = prefix;
        options.settings = settings_;
        auto started = Cluster::start(options);
        ASSERT_TRUE(started) << started.error().message();
        cluster_ = std::make_unique<Cluster>(std::move(*started));
        std::vector<std::string> words{"--pgdata",       cluster_->data_folder().string(),
                                       "--source",       sources(),
                                       "--interval",     "100",
                                       "--yes",          "--overhead",
                                       "100%",           "-o",
                                       folder().string()};
        recorder_ = std::make_unique<Recorder>(std::move(words));
        ASSERT_TRUE(within_seconds(60, [&] { return seen().has_value(); })) << recorder_->output();
    }

    // All that a recorder of this user can have.
    static std::string sources() {
        std::string names = GetParam() == "patched" ? "ring,mirror,sched,sql" : "mirror,sched,sql";
        return missing_for_bpf() || ::geteuid() != 0 ? names : names + ",ebpf";
    }
    [[nodiscard]] fs::path folder() const { return scratch_->path() / "run.snap"; }
    [[nodiscard]] std::optional<double> seen() const { return Recorder::so_far(folder(), "mirror", "xids_assigned"); }

    [[nodiscard]] double told_by_sql() const {
        return Recorder::so_far(folder(), "sql", "xacts_committed").value_or(0);
    }

    // So many transactions that write, and a window that has seen them all.
    void write(int times) {
        const double before = seen().value_or(0);
        const double sql_before = told_by_sql();
        {
            Session session(*cluster_);
            for (int i = 0; i < times; ++i)
                session.run("SELECT txid_current()");
        }
        EXPECT_TRUE(within_seconds(60, [&] { return seen() == before + times; }))
            << seen().value_or(-1) << " of " << before + times;
        // The server's statistics learn of them later.
        EXPECT_TRUE(within_seconds(60, [&] { return told_by_sql() >= sql_before + times; }));
    }
    void expect_back() {
        ASSERT_TRUE(within_seconds(120, [&] { return Recorder::gaps_so_far(folder()) == 1; })) << recorder_->output();
    }

    // The finished run, with what holds of every gap.
    [[nodiscard]] snapscope::Run ended(const std::string& kind) {
        EXPECT_EQ(recorder_->end_by_interrupt(), 3) << recorder_->output();
        auto run = read_run(folder());
        EXPECT_TRUE(run) << recorder_->output();
        if (!run || run->gaps.size() != 1) {
            ADD_FAILURE() << "no run with one gap: " << recorder_->output();
            return {};
        }
        const Gap& gap = run->gaps.front();
        EXPECT_TRUE(run->finished);
        EXPECT_EQ(gap.kind, kind) << gap.reason;
        EXPECT_GT(gap.end_ns, gap.begin_ns);
        EXPECT_EQ(gap.server_pid, static_cast<std::uint32_t>(cluster_->pid()));
        EXPECT_THAT(run->warnings, testing::Contains(HasSubstr(gap.reason)));
        expect_nothing_within(*run, gap);
        expect_exact(*run);
        return std::move(*run);
    }

    // One window covers the gap, and has no values; the others touch it at most.
    static void expect_nothing_within(const snapscope::Run& run, const Gap& gap) {
        int covering = 0;
        for (std::size_t row = 0; row < run.windows.start_ns.size(); ++row) {
            if (run.windows.end_ns[row] <= gap.begin_ns || run.windows.start_ns[row] >= gap.end_ns)
                continue;
            ++covering;
            EXPECT_EQ(run.windows.start_ns[row], gap.begin_ns);
            EXPECT_EQ(run.windows.end_ns[row], gap.end_ns);
            for (const auto& series : run.windows.series)
                EXPECT_FALSE(series.values[row]) << series.source << " " << series.name;
        }
        EXPECT_EQ(covering, 1);
    }

    static void expect_exact(const snapscope::Run& run) {
        constexpr int writes = writes_before + writes_behind;
        for (const auto& source : run.sources) {
            EXPECT_NE(source.state, SourceState::unavailable) << source.name << ": " << source.reason;
            EXPECT_THAT(source.reason, testing::Not(HasSubstr("not attached again"))) << source.name;
            if (source.name == "ring" || source.name == "mirror" || source.name == "ebpf") {
                EXPECT_EQ(total_of(run, source.name, "xids_assigned"), writes) << source.name << ": " << source.reason;
            }
        }
        for (const auto& total : run.totals) {
            if (!total.value || !(total.name.starts_with("xids_assigned") || total.name.starts_with("xacts_")))
                continue;
            EXPECT_EQ(static_cast<double>(*total.value), sum_of_windows(run, total.source, total.name))
                << total.source << " " << total.name;
        }
        EXPECT_GE(total_of(run, "sql", "xacts_committed").value_or(-1), writes);
        // Its own look once a window, and sessions that begin and end.
        const auto most = writes + 3 * static_cast<std::int64_t>(run.windows.start_ns.size()) + 300;
        EXPECT_LE(total_of(run, "sql", "xacts_committed").value_or(most + 1), most);
        // On both sides of the gap, each source told something.
        for (const auto& series : run.windows.series) {
            if (series.name != "xids_assigned" && series.name != "server_cpu_ns" && series.name != "xacts_committed")
                continue;
            const auto behind = std::ranges::lower_bound(run.windows.start_ns, run.gaps.front().end_ns);
            const auto first = behind - run.windows.start_ns.begin();
            const auto told = [](const std::optional<double>& value) { return value.value_or(0) > 0; };
            EXPECT_TRUE(std::any_of(series.values.begin(), series.values.begin() + first, told)) << series.source;
            EXPECT_TRUE(std::any_of(series.values.begin() + first, series.values.end(), told)) << series.source;
        }
    }

    void expect_nothing_left() {
        Session session(*cluster_);
        EXPECT_TRUE(within_seconds(10, [&] {
            session.run("SELECT 1");
            const auto now = remains_in(session.pid());
            return now && now->none();
        })) << "a breakpoint or a semaphore is left";
        EXPECT_EQ(session.number("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'snapscope'"), 0);
    }

    std::vector<std::pair<std::string, std::string>> settings_{{"autovacuum", "off"},
                                                               {"restart_after_crash", "on"},
                                                               {"max_connections", "40"},
                                                               {"max_logical_replication_workers", "0"}};
    std::unique_ptr<ScratchFolder> scratch_;
    std::unique_ptr<Cluster> cluster_;
    std::unique_ptr<Recorder> recorder_;
};

TEST_P(Restart, a_crash_of_a_backend_is_a_gap_and_both_sides_are_exact) {
    start(server_prefix(GetParam()));
    const auto pid = cluster_->pid();
    write(writes_before);
    {
        Session victim(*cluster_);
        ASSERT_EQ(::kill(victim.pid(), SIGKILL), 0);
    }
    expect_back();
    EXPECT_EQ(cluster_->pid(), pid);
    write(writes_behind);
    (void)ended("crash");
    EXPECT_EQ(count_in_log(*cluster_, "reinitializing"), 1);
    expect_nothing_left();
}

TEST_P(Restart, a_restarted_postmaster_is_a_gap_and_both_sides_are_exact) {
    start(server_prefix(GetParam()));
    const auto pid = cluster_->pid();
    write(writes_before);
    ASSERT_TRUE(cluster_->restart(settings_));
    EXPECT_NE(cluster_->pid(), pid);
    expect_back();
    write(writes_behind);
    const auto run = ended("restart");
    EXPECT_EQ(run.server.pid, static_cast<std::uint32_t>(pid));
    expect_nothing_left();
}

// A copy of the installation, whose binary says that it is another minor version.
class Upgrade : public Restart {
  protected:
    fs::path copied_prefix() {
        const auto binary = fs::canonical(server_prefix(GetParam()) / "bin/postgres");
        const bool debian = binary.parent_path().parent_path().parent_path().filename() == "postgresql";
        auto root = binary.parent_path().parent_path();
        const auto below = debian ? fs::path("lib/postgresql") / root.filename() : fs::path();
        if (debian)
            root = root.parent_path().parent_path().parent_path();
        fs::copy(root, scratch_->path() / "copy", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
        fs::permissions(scratch_->path(), fs::perms(0755));
        return scratch_->path() / "copy" / below;
    }
    // As a package manager does: a new file under the same name.
    static void replace(const fs::path& binary) {
        auto bytes = read_file(binary, std::size_t{1} << 30U);
        ASSERT_TRUE(bytes) << bytes.error().message();
        const std::string text = "postgres (PostgreSQL) ";
        const auto at = bytes->find(text);
        ASSERT_NE(at, std::string::npos);
        const auto minor = bytes->find('.', at) + 1;
        (*bytes)[minor] = '9';
        const auto fresh = binary.string() + ".new";
        ASSERT_TRUE(write_file_atomically(fresh, *bytes));
        fs::permissions(fresh, fs::perms(0755));
        fs::rename(fresh, binary);
    }
};

TEST_P(Upgrade, a_replaced_binary_is_followed_and_named) {
    const auto prefix = copied_prefix();
    start(prefix);
    write(writes_before);
    replace(prefix / "bin/postgres");
    ASSERT_TRUE(cluster_->restart(settings_));
    expect_back();
    write(writes_behind);
    const auto run = ended("upgrade");
    ASSERT_EQ(run.gaps.size(), 1U);
    EXPECT_THAT(run.gaps.front().reason, HasSubstr("another binary"));
    expect_nothing_left();
}

TEST_P(Restart, a_server_that_stays_away_ends_the_recording) {
    start(server_prefix(GetParam()));
    write(writes_before);
    cluster_->stop();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_EQ(recorder_->end_by_interrupt(), 3) << recorder_->output();
    const auto run = read_run(folder());
    ASSERT_TRUE(run) << run.error().message();
    EXPECT_TRUE(run->finished);
    EXPECT_TRUE(run->gaps.empty());
    EXPECT_THAT(run->warnings, testing::Contains(HasSubstr("the server ended")));
    EXPECT_EQ(total_of(*run, "mirror", "xids_assigned"), writes_before);
}

TEST_P(Restart, rates_are_over_the_time_that_was_watched) {
    start(server_prefix(GetParam()));
    write(writes_before);
    ASSERT_TRUE(cluster_->restart(settings_));
    expect_back();
    write(writes_behind);
    const auto run = ended("restart");
    ASSERT_EQ(run.gaps.size(), 1U);
    Command command;
    command.argv = {SNAPSCOPE_PROGRAM, "show", folder().string(), "--format", "json"};
    command.output = Command::Output::apart;
    const auto shown = run_to_end(command, std::chrono::seconds(30));
    ASSERT_TRUE(shown);
    const auto json = nlohmann::json::parse(shown->output, nullptr, false);
    ASSERT_FALSE(json.is_discarded()) << shown->output;
    const Gap& gap = run.gaps.front();
    const auto watched = static_cast<double>(run.clock.end_ns - run.clock.start_ns - (gap.end_ns - gap.begin_ns));
    EXPECT_NEAR(json["duration_s"].get<double>(), watched / 1e9, 1e-6);
    ASSERT_EQ(json["gaps"].size(), 1U);
    EXPECT_EQ(json["gaps"][0]["kind"], "restart");
    EXPECT_NEAR(json["gaps"][0]["end_s"].get<double>() - json["gaps"][0]["begin_s"].get<double>(),
                static_cast<double>(gap.end_ns - gap.begin_ns) / 1e9, 1e-6);
}

std::string name_of(const testing::TestParamInfo<std::string>& test) {
    return test.param;
}

INSTANTIATE_TEST_SUITE_P(Server, Restart, testing::Values("patched", "unpatched13", "debian15"), name_of);
INSTANTIATE_TEST_SUITE_P(Server, Upgrade, testing::Values("patched", "debian15"), name_of);

} // namespace
} // namespace snapscope::test
