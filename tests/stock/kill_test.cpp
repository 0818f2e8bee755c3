// A collector that is killed hard leaves nothing in the server: no breakpoint in
// its text, no raised semaphore, no debug register in use.
#include "stock_server.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/lab/process.hpp>

#include <csignal>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>
#include <thread>
#include <watch_source.hpp>
#include <word_watch.hpp>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;

constexpr unsigned char breakpoint = 0xcc; // int3

class KilledCollector : public StockTest {
  protected:
    // What a backend executes first in NAME, now.
    [[nodiscard]] unsigned char first_byte(const char* name, pid_t backend) const {
        const auto symbols = read_symbols(exe(), {name, "MyProc"});
        EXPECT_TRUE(symbols);
        const auto* function = symbols->find(name);
        unsigned char byte = 0;
        EXPECT_TRUE(read_memory(backend, load_base(*symbols) + function->value, &byte, 1));
        return byte;
    }
    [[nodiscard]] std::uint64_t load_base(const ElfSymbols& symbols) const {
        return words_of(cluster()).number.pointer - symbols.find("MyProc")->value;
    }
    // Sum of the wait probes' semaphores; 0 where the binary has none.
    [[nodiscard]] int semaphores(pid_t backend) const {
        Command command;
        command.argv = {"readelf", "-n", exe()};
        const auto notes = run_to_end(command, 60s);
        EXPECT_TRUE(notes);
        const auto symbols = read_symbols(exe(), {"MyProc"});
        const auto base = load_base(*symbols);
        std::istringstream lines(notes->output);
        bool wait = false;
        int sum = 0;
        for (std::string line; std::getline(lines, line);) {
            if (line.find("Name: ") != std::string::npos)
                wait = line.find("lwlock__wait__") != std::string::npos;
            const auto at = line.find("Semaphore: 0x");
            if (!wait || at == std::string::npos)
                continue;
            const auto address = parse_integer<std::uint64_t>(trim(line.substr(at + 13)), 16);
            std::uint16_t value = 0;
            EXPECT_TRUE(address && read_memory(backend, base + *address, &value, sizeof value));
            sum += value;
        }
        return sum;
    }
    template <typename Condition> static bool within_seconds(Condition condition) {
        for (int tries = 0; tries < 100; ++tries) {
            if (condition())
                return true;
            std::this_thread::sleep_for(100ms);
        }
        return false;
    }
};

TEST_P(KilledCollector, LeavesNothingBehind) {
    Session session(cluster());
    const pid_t backend = session.pid();
    const unsigned char original = first_byte("GetSnapshotData", backend);
    ASSERT_NE(original, breakpoint);
    Command command;
    command.argv = {SNAPSCOPE_PROGRAM,
                    "record",
                    "--pid",
                    std::to_string(cluster().pid()),
                    "--source",
                    "ebpf,watch",
                    "--overhead",
                    "100%",
                    "--yes",
                    "-o",
                    (scratch() / "killed.snap").string()};
    auto recorder = Process::start(command);
    ASSERT_TRUE(recorder) << recorder.error().message();
    ASSERT_TRUE(within_seconds([&] {
        session.run("SELECT 1");
        return first_byte("GetSnapshotData", backend) == breakpoint && (!reuses() || semaphores(backend) > 0);
    })) << "the probes were never set";
    std::this_thread::sleep_for(500ms); // watchpoints, too
    recorder->send_signal(SIGKILL);
    EXPECT_TRUE(within_seconds([&] { return recorder->wait_for(0ms).has_value(); }));
    EXPECT_TRUE(within_seconds([&] {
        session.run("SELECT 1");
        return first_byte("GetSnapshotData", backend) == original &&
               first_byte("ProcArrayEndTransaction", backend) != breakpoint &&
               first_byte("GetNewTransactionId", backend) != breakpoint;
    })) << "a breakpoint was left";
    EXPECT_EQ(semaphores(backend), 0);
    // All four debug registers are free again.
    const auto words = words_of(cluster());
    const auto one = WordWatch::on_every_cpu(words.lock_state, 1);
    const auto other = WordWatch::on_every_cpu(words.xid.at(0), 1);
    EXPECT_TRUE(one) << one.error().message();
    EXPECT_TRUE(other) << other.error().message();
    EXPECT_EQ(session.number("SELECT 2"), 2) << "the server goes on";
}

INSTANTIATE_TEST_SUITE_P(Server, KilledCollector, every_stock_server(), name_of_server);

} // namespace
} // namespace snapscope::test
