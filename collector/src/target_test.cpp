#include "../test/temporary_folder.hpp"

#include <snapscope/collector/target.hpp>

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A procfs and data folders of its own.
class FakeProc : public testing::Test {
  protected:
    void process(pid_t pid, pid_t parent, const std::string& exe, const fs::path& cwd = "/",
                 const std::string& name = "postgres") {
        const fs::path folder = root() / std::to_string(pid);
        fs::create_directories(folder);
        write(folder / "stat", std::to_string(pid) + " (" + name + ") S " + std::to_string(parent) +
                                   " 1 1 0 -1 0 0 0 0 0 5 6 0 0 20 0 1 0 777 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0");
        write(folder / "status", "Name:\t" + name + "\nNSpid:\t" + std::to_string(pid) + "\n");
        fs::create_symlink(exe, folder / "exe");
        fs::create_symlink(cwd, folder / "cwd");
    }
    fs::path cluster(const std::string& name, pid_t pid, const std::string& port) {
        const fs::path folder = folder_.path() / name;
        fs::create_directories(folder);
        write(folder / "PG_VERSION", "13\n");
        write(folder / "postmaster.pid", std::to_string(pid) + "\n" + folder.string() + "\n1\n" + port + "\n/run/" +
                                             name + "\nlocalhost\n 1 2\nready\n");
        process(pid, 1, "/opt/bin/postgres", folder);
        return folder;
    }
    [[nodiscard]] fs::path root() const { return folder_.path() / "proc"; }
    [[nodiscard]] Result<Postmaster> find(const TargetSpec& spec) const { return find_target(ProcFs(root()), spec); }
    static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
    static TargetSpec with_pid(pid_t pid) {
        TargetSpec spec;
        spec.pid = pid;
        return spec;
    }

    test::TemporaryFolder folder_;
};

TEST_F(FakeProc, OnlyRunningServerIsTheTarget) {
    const auto data = cluster("a", 100, "5432");
    process(101, 100, "/opt/bin/postgres", data);
    process(50, 1, "/usr/bin/vim", "/", "vim");
    const auto found = find({});
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(found->pid, 100);
    EXPECT_EQ(found->port, 5432);
    EXPECT_EQ(found->socket_folder, "/run/a");
}

TEST_F(FakeProc, OneThatHasEndedIsNoTarget) {
    process(100, 1, "/opt/bin/postgres");
    auto stat = *read_text(root() / "100/stat");
    stat.replace(stat.find(") S"), 3, ") Z");
    write(root() / "100/stat", stat);
    fs::remove(root() / "100/exe"); // as of a zombie
    const auto found = find(with_pid(100));
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().error_class, ErrorClass::failed);
    EXPECT_EQ(found.error().what, "pid 100 has ended");
    EXPECT_THAT(find({}).error().what, HasSubstr("no PostgreSQL server runs"));
}

TEST_F(FakeProc, ServersThatMayNotBeLookedAtAreCounted) {
    for (const pid_t pid : {100, 200}) {
        process(pid, 1, "/opt/bin/postgres");
        fs::remove(root() / std::to_string(pid) / "exe");
        fs::remove(root() / std::to_string(pid) / "cwd");
    }
    process(101, 100, "/opt/bin/postgres");
    fs::remove(root() / "101/exe");
    const auto none = find({});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().error_class, ErrorClass::failed);
    EXPECT_EQ(none.error().what, "2 PostgreSQL servers run that this user may not look at");
    EXPECT_THAT(none.error().hint, HasSubstr("as root"));
    TargetSpec port;
    port.port = 5432;
    EXPECT_EQ(find(port).error().what,
              "no server is seen on port 5432, but 2 PostgreSQL servers run that this user may not look at");
}

TEST_F(FakeProc, SeveralServersAreListed) {
    cluster("a", 100, "5432");
    cluster("b", 200, "5433");
    const auto found = find({});
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().error_class, ErrorClass::failed);
    EXPECT_THAT(found.error().what, HasSubstr("pid 100, port 5432"));
    EXPECT_THAT(found.error().what, HasSubstr("pid 200, port 5433"));
}

TEST_F(FakeProc, PortAndHostChoose) {
    cluster("a", 100, "5432");
    cluster("b", 200, "5432");
    TargetSpec spec;
    spec.port = 5432;
    EXPECT_FALSE(find(spec));
    spec.host = "/run/b";
    ASSERT_TRUE(find(spec));
    EXPECT_EQ(find(spec)->pid, 200);
    spec.host = "/run/b/";
    EXPECT_TRUE(find(spec));
    spec.host = "/nope";
    EXPECT_EQ(find(spec).error().message(),
              "no server on port 5432 has its socket in /nope; the socket folder there: /run/a, /run/b");
    spec.port = 1;
    EXPECT_THAT(find(spec).error().what, HasSubstr("no PostgreSQL server runs on port 1"));
}

TEST_F(FakeProc, DataFolderChoosesAlsoThroughALink) {
    const auto data = cluster("a", 100, "5432");
    cluster("b", 200, "5433");
    fs::create_directory_symlink(data, folder_.path() / "link");
    TargetSpec spec;
    spec.pgdata = (folder_.path() / "link").string();
    ASSERT_TRUE(find(spec));
    EXPECT_EQ(find(spec)->pid, 100);
}

TEST_F(FakeProc, StalePidFileIsSaid) {
    const auto data = cluster("a", 100, "5432");
    fs::remove_all(root() / "100");
    fs::create_directories(root());
    TargetSpec spec;
    spec.pgdata = data.string();
    const auto found = find(spec);
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().hint, HasSubstr("stale"));
}

TEST_F(FakeProc, BackendNamesItsPostmaster) {
    const auto data = cluster("a", 100, "5432");
    process(101, 100, "/opt/bin/postgres", data);
    const auto found = find(with_pid(101));
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().message(), HasSubstr("--pid 100"));
}

TEST_F(FakeProc, PidOfNobodyOrOfAnotherProgramFails) {
    process(50, 1, "/usr/bin/vim", "/", "vi) m");
    EXPECT_THAT(find(with_pid(51)).error().what, HasSubstr("no process"));
    EXPECT_THAT(find(with_pid(50)).error().what, HasSubstr("vi) m"));
}

TEST_F(FakeProc, OrphanedBackendIsNoPostmaster) {
    const auto data = cluster("a", 100, "5432");
    fs::remove_all(root() / "100");
    process(101, 1, "/opt/bin/postgres", data);
    EXPECT_THAT(find({}).error().what, HasSubstr("no PostgreSQL server"));
}

TEST_F(FakeProc, ReplacedBinaryIsStillPostgres) {
    const auto data = cluster("a", 100, "5432");
    fs::remove(root() / "100/exe");
    fs::create_symlink("/opt/bin/postgres (deleted)", root() / "100/exe");
    EXPECT_TRUE(find({}));
}

TEST_F(FakeProc, ContradictoryOptionsAreUsage) {
    TargetSpec spec = with_pid(1);
    spec.port = 5432;
    EXPECT_EQ(find(spec).error().error_class, ErrorClass::usage);
    TargetSpec host;
    host.host = "/run";
    EXPECT_EQ(find(host).error().error_class, ErrorClass::usage);
    TargetSpec login;
    login.dsn = "what";
    EXPECT_EQ(find(login).error().error_class, ErrorClass::usage);
}

TEST(PostmasterFile, DamagedOnesAreErrorsOrLackFields) {
    EXPECT_FALSE(parse_postmaster_file(""));
    EXPECT_FALSE(parse_postmaster_file("12"));
    EXPECT_FALSE(parse_postmaster_file("x\n/data\n"));
    EXPECT_FALSE(parse_postmaster_file("-5\n/data\n"));
    const auto file = parse_postmaster_file("12\n/data\n0\n99999\n");
    ASSERT_TRUE(file);
    EXPECT_FALSE(file->port);
    EXPECT_FALSE(parse_postmaster_file("12\n/d\n0\n5432\n/tmp\n*\n 1 2\nready   \n")->stopping);
    EXPECT_TRUE(parse_postmaster_file("12\n/d\n0\n5432\n/tmp\n*\n 1 2\nstopping\n")->stopping);
    EXPECT_TRUE(parse_postmaster_file("12\n/d\n0\n5432\n/tmp\n*\n 1 2\nready   \n")->ready);
    EXPECT_TRUE(parse_postmaster_file("12\n/d\n0\n5432\n/tmp\n*\n 1 2\nstandby \n")->ready);
    EXPECT_FALSE(parse_postmaster_file("12\n/d\n0\n5432\n/tmp\n*\n 1 2\nstarting\n")->ready);
}

TEST(ProcessStat, DamagedOnesAreErrors) {
    EXPECT_FALSE(parse_process_stat(""));
    EXPECT_FALSE(parse_process_stat("1 (a"));
    EXPECT_FALSE(parse_process_stat("1 (a) S 1 2"));
    EXPECT_FALSE(parse_process_stat(")("));
}

} // namespace
} // namespace snapscope
