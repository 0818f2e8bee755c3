// Against a real server: the patched or the unpatched build from the cache, or
// any PostgreSQL that SNAPSCOPE_PG_PREFIX names.

#include <snapscope/base/files.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/lab/cluster.hpp>
#include <snapscope/lab/idle_connections.hpp>
#include <snapscope/lab/pgbench.hpp>

#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace snapscope {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

fs::path find_prefix() {
    if (const char* named = std::getenv("SNAPSCOPE_PG_PREFIX"); named != nullptr && *named != '\0')
        return named;
    for (const auto* variant : {"--where", "--unpatched"}) {
        Command command;
        command.argv = {SNAPSCOPE_SOURCE_DIR "/patched-pg/build/build.sh", "--where", variant};
        const auto built = run_to_end(command, 20s);
        if (built && built->status == 0)
            return trim(built->output);
    }
    return {};
}

class ClusterTest : public testing::Test {
  protected:
    void SetUp() override {
        static const fs::path prefix = find_prefix();
        if (prefix.empty())
            GTEST_SKIP() << "no PostgreSQL is built (patched-pg/build/build.sh) and SNAPSCOPE_PG_PREFIX is not set";
        options_.prefix = prefix;
    }

    // The output of psql, or pgbench, on the cluster.
    std::string run(const Cluster& cluster, std::vector<std::string> argv) const {
        Command command;
        command.argv = std::move(argv);
        command.argv[0] = (options_.prefix / "bin" / command.argv[0]).string();
        command.environment = cluster.environment();
        const auto finished = run_to_end(command, 60s);
        return finished ? std::string(trim(finished->output)) : finished.error().message();
    }
    std::string query(const Cluster& cluster, const std::string& sql) const {
        return run(cluster, {"psql", "-XAtc", sql});
    }

    ClusterOptions options_;
};

TEST_F(ClusterTest, starts_with_its_settings_and_leaves_nothing_behind) {
    options_.settings = {{"max_connections", "23"}, {"application_name", "it's"}};
    fs::path folder;
    pid_t pid = 0;
    {
        const auto cluster = Cluster::start(options_);
        ASSERT_TRUE(cluster) << cluster.error().message();
        folder = cluster->data_folder().parent_path();
        pid = cluster->pid();
        EXPECT_EQ(query(*cluster, "show max_connections"), "23");
        EXPECT_EQ(query(*cluster, "show listen_addresses"), "");
        struct stat status {};
        ASSERT_EQ(::stat(cluster->socket_folder().c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777U, 0700U);
        EXPECT_NE(status.st_uid, 0U) << "servers do not run as root";
    }
    EXPECT_FALSE(fs::exists(folder));
    EXPECT_NE(::kill(pid, 0), 0);
}

TEST_F(ClusterTest, a_setting_that_the_server_refuses_is_an_error_in_its_words) {
    options_.settings = {{"no_such_setting", "1"}};
    const auto cluster = Cluster::start(options_);
    ASSERT_FALSE(cluster);
    EXPECT_THAT(cluster.error().message(), HasSubstr("no_such_setting"));
}

TEST_F(ClusterTest, holds_idle_connections_until_their_owner_goes) {
    options_.settings = {{"max_connections", "320"}};
    const auto cluster = Cluster::start(options_);
    ASSERT_TRUE(cluster) << cluster.error().message();
    const auto backends = [&] {
        return query(*cluster, "select count(*) from pg_stat_activity where application_name = 'snapscope idle'");
    };
    {
        const auto idle = IdleConnections::open({cluster->socket(), "postgres", "postgres"}, 300);
        ASSERT_TRUE(idle) << idle.error().message();
        EXPECT_EQ(idle->count_open(), 300U);
        EXPECT_EQ(backends(), "300");
        query(*cluster, "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'snapscope "
                        "idle' limit 1");
        for (int tries = 0; tries < 100 && idle->count_open() == 300; ++tries)
            ::usleep(20'000);
        EXPECT_EQ(idle->count_open(), 299U);
    }
    for (int tries = 0; tries < 100 && backends() != "0"; ++tries)
        ::usleep(20'000);
    EXPECT_EQ(backends(), "0");
}

TEST_F(ClusterTest, says_which_idle_connection_the_server_refused) {
    options_.settings = {{"max_connections", "20"}};
    const auto cluster = Cluster::start(options_);
    ASSERT_TRUE(cluster) << cluster.error().message();
    const auto idle = IdleConnections::open({cluster->socket(), "postgres", "postgres"}, 40);
    ASSERT_FALSE(idle);
    EXPECT_THAT(idle.error().message(), HasSubstr("too many clients already"));
    EXPECT_THAT(idle.error().message(), HasSubstr("of 40"));
}

TEST_F(ClusterTest, runs_pgbench_and_reads_its_figures) {
    const auto cluster = Cluster::start(options_);
    ASSERT_TRUE(cluster) << cluster.error().message();
    const auto script = cluster->data_folder().parent_path() / "select.sql";
    ASSERT_TRUE(write_file_atomically(script, "SELECT 1;\n"));
    Command command;
    command.argv = {(options_.prefix / "bin" / "pgbench").string(),
                    "-n",
                    "-M",
                    "prepared",
                    "-f",
                    script.string(),
                    "-c",
                    "2",
                    "-T",
                    "1",
                    "-P",
                    "1"};
    command.environment = cluster->environment();
    const auto workload = run_pgbench(command, 30s);
    ASSERT_TRUE(workload) << workload.error().message();
    EXPECT_TRUE(workload->valid) << testing::PrintToString(workload->notes);
    EXPECT_GT(*workload->tps, 0);
    EXPECT_GT(*workload->transactions, 0U);
    EXPECT_EQ(workload->clients, 2U);
    EXPECT_TRUE(workload->latency_stddev_ms) << "printed with -P";
    EXPECT_FALSE(workload->reconnect);
    EXPECT_FALSE(workload->progress_tps.empty());

    command.argv = {command.argv[0], "-n", "-S", "-T", "1", "nosuchdatabase"};
    const auto failed = run_pgbench(command, 30s);
    ASSERT_TRUE(failed) << failed.error().message();
    EXPECT_FALSE(failed->valid);
    EXPECT_FALSE(failed->tps);
    EXPECT_THAT(failed->notes, testing::Contains(HasSubstr("nosuchdatabase")));
}

TEST_F(ClusterTest, a_program_that_is_killed_takes_its_server_along_and_the_next_one_tidies_up) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t owner = ::fork();
    if (owner == 0) {
        const auto cluster = Cluster::start(options_);
        const std::string said =
            cluster ? fmt::format("{} {}\n", cluster->pid(), cluster->data_folder().parent_path().string())
                    : "0 " + cluster.error().message() + "\n";
        (void)!::write(ends[1], said.data(), said.size());
        ::kill(::getpid(), SIGKILL);
    }
    std::array<char, 4096> buffer{};
    const auto got = ::read(ends[0], buffer.data(), buffer.size());
    ASSERT_GT(got, 0);
    ::waitpid(owner, nullptr, 0);
    const auto said = trim({buffer.data(), static_cast<std::size_t>(got)});
    const auto pid = parse_integer<pid_t>(said.substr(0, said.find(' ')));
    const fs::path folder = said.substr(said.find(' ') + 1);
    ASSERT_TRUE(pid && *pid > 0) << said;

    EXPECT_TRUE(fs::exists(folder));
    EXPECT_GE(remove_abandoned(), 1U);
    EXPECT_FALSE(fs::exists(folder));
    for (int tries = 0; tries < 500 && ::kill(*pid, 0) == 0; ++tries)
        ::usleep(10'000);
    EXPECT_NE(::kill(*pid, 0), 0);
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST_F(ClusterTest, leaves_the_folder_of_a_living_owner_alone) {
    const auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().message();
    (void)remove_abandoned();
    EXPECT_TRUE(fs::exists(folder->path()));
}

TEST(Cluster, a_prefix_without_a_server_is_a_clear_error) {
    ClusterOptions options;
    options.prefix = "/nonexistent";
    const auto cluster = Cluster::start(options);
    ASSERT_FALSE(cluster);
    EXPECT_THAT(cluster.error().message(), HasSubstr("/nonexistent"));
}

} // namespace
} // namespace snapscope
