// Fifty times: a recorder with every source attached to a loaded server is killed
// hard.  The server goes on, and nothing of the recorder is left in it.
#include "remains.hpp"
#include "stock_server.hpp"

#include <snapscope/collector/memory_file.hpp>
#include <snapscope/lab/process.hpp>

#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;

constexpr int rounds = 50;

class KilledAgain : public StockTest {
  protected:
    [[nodiscard]] bool patched() const { return GetParam() == "patched"; }

    // A copy: probes sit in the file, and who else runs it may be probed, too.
    [[nodiscard]] std::filesystem::path install(const std::filesystem::path& prefix) override {
        namespace fs = std::filesystem;
        constexpr auto how = fs::copy_options::recursive | fs::copy_options::copy_symlinks;
        fs::copy(prefix, scratch() / "install", how);
        if (fs::is_symlink(prefix / "bin/postgres")) // of an unpacked package, into the folder beside it
            fs::copy(prefix.parent_path() / "files", scratch() / "files", how);
        return scratch() / "install";
    }

    // Transactions with an xid, as fast as they go, from four clients.
    [[nodiscard]] Result<Process> load() {
        const auto script = scratch() / "load.sql";
        std::ofstream(script) << "SELECT txid_current();\n";
        Command command;
        command.argv = {program("pgbench"), "-n", "-M", "prepared", "-c", "4", "-T", "3600", "-f", script.string()};
        command.environment = cluster().environment();
        return Process::start(std::move(command));
    }
    [[nodiscard]] Result<Process> recorder(int round) {
        Command command;
        command.argv = {SNAPSCOPE_PROGRAM,
                        "record",
                        "--pid",
                        std::to_string(cluster().pid()),
                        "--source",
                        patched() ? "ring,mirror,ebpf,sched,sql,watch" : "mirror,ebpf,sched,sql,watch",
                        "--events",
                        "--overhead",
                        "100%",
                        "--yes",
                        "-o",
                        (scratch() / fmt::format("killed-{}.snap", round)).string()};
        return Process::start(std::move(command));
    }
    // Rings stand still within the lease's time, and whoever comes next may have them.
    static void expect_rings_at_rest(pid_t postmaster) {
        auto memory = MemoryFile::open(ProcFs(), postmaster);
        ASSERT_TRUE(memory) << memory.error().message();
        const auto taken = memory->become_consumer();
        EXPECT_TRUE(taken) << taken.error().message();
        std::this_thread::sleep_for(1200ms);
        const auto written = [&] {
            std::uint64_t sum = 0;
            for (std::uint32_t slot = 0; slot < memory->header().slots; ++slot)
                sum += load_counters(memory->counters(slot)).events_written;
            return sum;
        };
        const auto before = written();
        std::this_thread::sleep_for(100ms);
        EXPECT_EQ(written(), before) << "a ring goes on";
    }
};

TEST_P(KilledAgain, AndAgainNothingIsLeft) {
    auto load_process = load();
    ASSERT_TRUE(load_process) << load_process.error().message();
    Session session(cluster());
    const pid_t backend = session.pid();
    const auto clean = remains_in(backend);
    ASSERT_TRUE(clean) << clean.error().message();
    ASSERT_TRUE(clean->none()) << clean->altered_bytes << " bytes differ before anything was done";
    for (int round = 0; round < rounds && !HasFailure(); ++round) {
        SCOPED_TRACE(fmt::format("round {}", round));
        auto recording = recorder(round);
        ASSERT_TRUE(recording) << recording.error().message();
        const bool probed = within_seconds(60, [&] {
            const auto now = remains_in(backend);
            return now && !now->none();
        });
        if (!probed) { // what has it to say?
            recording->send_signal(SIGINT);
            if (const auto status = recording->wait_for(20s))
                ADD_FAILURE() << "it has ended with " << *status;
        }
        ASSERT_TRUE(probed) << "no probe was ever set: " << recording->output();
        // At any moment of its life: while others attach, or in the midst of recording.
        std::this_thread::sleep_for(std::chrono::milliseconds(37 * round));
        recording->send_signal(SIGKILL);
        ASSERT_TRUE(within_seconds(60, [&] { return recording->wait_for(0ms).has_value(); }));
        expect_nothing_left(session, 60);
        if (patched())
            expect_rings_at_rest(cluster().pid());
        EXPECT_FALSE(load_process->wait_for(0ms)) << "the load has ended: " << load_process->output();
    }
    EXPECT_EQ(count_in_log(cluster(), "terminated by signal"), 0);
    EXPECT_EQ(count_in_log(cluster(), "PANIC"), 0);
}

INSTANTIATE_TEST_SUITE_P(Server, KilledAgain, testing::Values("unpatched13", "debian15", "patched"), name_of_server);

} // namespace
} // namespace snapscope::test
