// What the memory file costs a server to which nobody listens: no memory when a
// core is dumped, and no signal where files are limited in size.

#include "session.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/lab/account.hpp>
#include <snapscope/lab/process.hpp>

#include <cstdlib>
#include <fmt/format.h>
#include <sstream>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;

class MemoryFileTest : public ServerTest {};

struct Dumped {
    std::uint64_t kept_kb = 0; // of the memory file, in a core dump
    std::uint64_t left_out_kb = 0;
};

// By the kernel's flag "dd", do not dump, of each part of the mapping.
Dumped dumped_of_memory_file(pid_t pid) {
    const auto smaps = read_file(fmt::format("/proc/{}/smaps", pid), 16U << 20U);
    EXPECT_TRUE(smaps) << smaps.error().message();
    Dumped sum;
    std::istringstream lines(smaps ? *smaps : std::string{});
    bool within = false;
    std::uint64_t kb = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.substr(0, line.find(' ')).find('-') != std::string::npos) // addresses
            within = line.find("/memfd:snapscope") != std::string::npos;
        else if (within && line.starts_with("Size:"))
            kb = std::strtoull(line.c_str() + 5, nullptr, 10);
        else if (within && line.starts_with("VmFlags:"))
            (line.find(" dd") != std::string::npos ? sum.left_out_kb : sum.kept_kb) += kb;
    }
    return sum;
}

TEST_P(MemoryFileTest, a_core_dump_leaves_the_rings_out) {
    start({{"max_connections", "50"}, {"snapshot_event_ring_size", "1MB"}});
    const Session session(cluster());
    const auto dumped = dumped_of_memory_file(session.pid());
    EXPECT_GE(dumped.left_out_kb, 50U * 1024);
    EXPECT_GT(dumped.kept_kb, 0U); // the counters, which tell something
    EXPECT_LT(dumped.kept_kb, 1024U);
}

TEST_P(MemoryFileTest, initdb_finds_as_many_connections_where_files_are_limited) {
    start();
    const auto account = server_account();
    ASSERT_TRUE(account) << account.error().message();
    Command initdb;
    // 20 MiB: enough for WAL, too little for the rings of 100 connections.  Not
    // by way of a postmaster, whose children do not feel the limit's signal.
    initdb.argv = {"sh", "-c",
                   fmt::format("ulimit -f 40960 && exec {}/bin/initdb -N -D {}/limited", patched_prefix().string(),
                               cluster().data_folder().string())};
    initdb.account = *account;
    const auto finished = run_to_end(initdb, 120s);
    ASSERT_TRUE(finished) << finished.error().message();
    EXPECT_EQ(finished->status, 0) << finished->output;
    EXPECT_NE(finished->output.find("selecting default max_connections ... 100\n"), std::string::npos)
        << finished->output;
}

INSTANTIATE_TEST_SUITE_P(Mode, MemoryFileTest, testing::Values("off"), name_of_mode);

} // namespace
} // namespace snapscope::test
