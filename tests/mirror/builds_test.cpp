// Servers as they are found: stripped, replaced while they run, in namespaces
// of their own, with each kind of shared memory.

#include "huge_pages.hpp"
#include "mirrored.hpp"

#include <snapscope/lab/account.hpp>
#include <snapscope/lab/process.hpp>
#include <snapscope/lab/scratch_folder.hpp>

#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <thread>
#include <unistd.h>

namespace snapscope::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using mirror::LayoutOrigin;
using mirror::PageKind;

class MirrorBuilds : public MirrorTest {
  protected:
    // Whether everything of it is seen: found, proved, and a session in its slot.
    void expect_seen() {
        Session session(cluster());
        session.run("BEGIN; SELECT txid_current()");
        const auto server = examine();
        ASSERT_TRUE(server) << server.error().message();
        EXPECT_EQ(server->unproven, "");
        const auto sight = look(*server);
        const auto* dense = sight.dense_of(session.pid());
        ASSERT_NE(dense, nullptr);
        EXPECT_EQ(dense->xid, static_cast<std::uint32_t>(session.number("SELECT txid_current()")));
    }
    static PageKind pages(const MirroredServer& server) {
        return mirror::page_kind(server.anatomy.segment).value_or(PageKind::ordinary);
    }
    // A copy of this version's files that may be changed.
    fs::path copy_of_prefix() {
        auto scratch = ScratchFolder::create();
        EXPECT_TRUE(scratch) << scratch.error().message();
        scratch_ = std::make_unique<ScratchFolder>(std::move(*scratch));
        const auto copy = scratch_->path() / "install";
        const auto prefix = fs::canonical(unpatched_prefix(GetParam()));
        fs::copy(prefix, copy, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
        return copy;
    }
    std::unique_ptr<ScratchFolder> scratch_;
};

bool run(std::vector<std::string> argv) {
    Command command;
    command.argv = std::move(argv);
    const auto finished = run_to_end(std::move(command), 60s);
    return finished && finished->status == 0;
}

TEST_P(MirrorBuilds, debug_information_and_the_table_agree) {
    start();
    const auto server = examine();
    ASSERT_TRUE(server) << server.error().message();
    if (server->image->layout_origin() == LayoutOrigin::table)
        GTEST_SKIP() << "this build has no debug information";
    const auto& found = server->anatomy.layout;
    const auto& table = mirror::table_layout(GetParam());
    for (const auto& field : mirror::layout_fields()) {
        if (field.required != nullptr)
            EXPECT_EQ(found.*field.required, table.*field.required) << field.type << "." << field.name;
        else
            EXPECT_EQ(found.*field.optional, table.*field.optional) << field.type << "." << field.name;
    }
}

TEST_P(MirrorBuilds, a_stripped_binary_is_read_by_its_table) {
    if (fs::is_symlink(unpatched_prefix(GetParam()) / "bin/postgres"))
        GTEST_SKIP() << "this one is stripped as it comes";
    const auto prefix = copy_of_prefix();
    ASSERT_TRUE(run({"strip", (prefix / "bin/postgres").string()}));
    start({}, prefix);
    expect_seen();
    const auto server = examine();
    ASSERT_TRUE(server) << server.error().message();
    EXPECT_EQ(server->image->layout_origin(), LayoutOrigin::table);
}

TEST_P(MirrorBuilds, a_binary_that_was_replaced_while_it_runs_is_the_one_that_runs) {
    if (fs::is_symlink(unpatched_prefix(GetParam()) / "bin/postgres"))
        GTEST_SKIP() << "this one's files are not for changing";
    const auto prefix = copy_of_prefix();
    start({}, prefix);
    const auto binary = prefix / "bin/postgres";
    fs::remove(binary);
    std::ofstream(binary) << "another version\n";
    fs::permissions(binary, fs::perms::all);
    ASSERT_THAT(ProcFs().link(cluster().pid(), "exe").value_or(""), testing::EndsWith("(deleted)"));
    // A session needs no new program: the postmaster forks.
    expect_seen();
}

TEST_P(MirrorBuilds, system_v_memory_is_found) {
    start({{"shared_memory_type", "sysv"}});
    expect_seen();
    const auto server = examine();
    ASSERT_TRUE(server) << server.error().message();
    EXPECT_EQ(pages(*server), PageKind::sysv);
}

TEST_P(MirrorBuilds, huge_pages_are_read_and_never_mapped) {
    constexpr std::uint64_t needed = 60; // of 2 MB
    const HugePages pages_for_this(needed);
    if (HugePages::free() < needed)
        GTEST_SKIP() << "this machine grants " << HugePages::free() << " of " << needed << " huge pages";
    start({{"huge_pages", "on"}, {"shared_buffers", "32MB"}, {"max_connections", "20"}});
    expect_seen();
    const auto server = examine();
    ASSERT_TRUE(server) << server.error().message();
    EXPECT_EQ(pages(*server), PageKind::huge);
    const auto mapped = mirror::SharedMapping::probe(*server->image, server->anatomy);
    ASSERT_FALSE(mapped);
    EXPECT_THAT(mapped.error().what, testing::HasSubstr("huge pages"));
    cluster_.reset(); // before the machine takes the pages back
}

// The postmaster's child processes of a program, at any depth: the first that is a postmaster.
pid_t postmaster_below(pid_t top) {
    const ProcFs proc;
    for (const auto& postmaster : find_postmasters(proc))
        for (auto at = postmaster.pid; at > 1;) {
            if (at == top)
                return postmaster.pid;
            const auto process = proc.stat(at);
            at = process ? process->parent : 0;
        }
    return 0;
}

TEST_P(MirrorBuilds, a_server_in_pid_and_mount_namespaces_of_its_own_is_seen_with_our_pids) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "making namespaces needs root";
    start();
    cluster_->stop(); // its data folder stays
    const auto account = server_account();
    ASSERT_TRUE(account && *account);
    Command command;
    command.argv = {"unshare",
                    "--mount",
                    "--pid",
                    "--fork",
                    "--kill-child=SIGQUIT",
                    "setpriv",
                    fmt::format("--reuid={}", (*account)->uid),
                    fmt::format("--regid={}", (*account)->gid),
                    "--clear-groups",
                    (unpatched_prefix(GetParam()) / "bin/postgres").string(),
                    "-D",
                    cluster().data_folder().string()};
    command.folder = cluster().data_folder();
    command.output = Command::Output::file;
    command.output_file = cluster().log_file();
    auto server_process = Process::start(std::move(command));
    ASSERT_TRUE(server_process) << server_process.error().message();
    ASSERT_TRUE(comes_back(cluster(), 0));
    const pid_t postmaster = postmaster_below(server_process->pid());
    ASSERT_NE(postmaster, 0);
    ASSERT_NE(ProcFs().namespace_pid(postmaster), postmaster);

    Session session(cluster());
    session.run("BEGIN; SELECT txid_current()");
    const auto server = examine(postmaster);
    ASSERT_TRUE(server) << server.error().message();
    const auto sight = look(*server);
    const auto own = static_cast<std::int32_t>(session.number("SELECT pg_backend_pid()"));
    const auto* dense = sight.dense_of(own);
    ASSERT_NE(dense, nullptr);
    EXPECT_EQ(dense->xid, static_cast<std::uint32_t>(session.number("SELECT txid_current()")));
    const auto here = server->image->pid_translation()(own);
    ASSERT_TRUE(here);
    EXPECT_NE(*here, own);
    EXPECT_EQ(ProcFs().stat(*here).value().parent, postmaster);
    server_process->stop(SIGINT, 20s);
}

INSTANTIATE_TEST_SUITE_P(Version, MirrorBuilds, every_major(), name_of_major);

} // namespace
} // namespace snapscope::test
