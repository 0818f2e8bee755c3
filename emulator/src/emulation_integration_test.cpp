// One boot: some tens of seconds where nobody else is at work.
#include "boot_test.hpp"

#include <algorithm>

namespace snapscope::emulator {
namespace {

using namespace std::chrono_literals;

class EmulatedMachine : public BootTest {
  protected:
    void SetUp() override { use_server("SNAPSCOPE_PG_PREFIX"); }
};

// The boot, the self-test of the plug-in, learning the addresses, pacing, a
// load, and the counts of a scan, which are known from the source.
TEST_F(EmulatedMachine, RecordsEachAccessOfAStockScan) {
    const auto emulation = run(small_load("off"));
    ASSERT_TRUE(emulation) << emulation.error().message();
    ASSERT_EQ(emulation->phases.size(), 1U);
    EXPECT_GT(emulation->phases.front().barriers, 0U);
    const PhaseTruth truth = analyse_phase(emulation->phases.front(), machine_.topology);
    const auto call = std::ranges::find(truth.calls, "PGXACT", &CallTruth::structure);
    ASSERT_NE(call, truth.calls.end());
    EXPECT_EQ(call->reads, 4U * 3 + 1);
    EXPECT_EQ(emulation->loads.front().transactions, 80U);
}

TEST_F(EmulatedMachine, EndsAtOnceWhenItIsInterrupted) {
    const std::atomic<bool> stop{true};
    const auto emulation = run(small_load("off"), &stop);
    ASSERT_FALSE(emulation);
    EXPECT_NE(emulation.error().what.find("interrupted"), std::string::npos);
}

TEST_F(EmulatedMachine, SaysHowFarItCameWhenItTookTooLong) {
    EmulationOptions options = small_load("off");
    options.limit = 2s;
    const auto emulation = run(options);
    ASSERT_FALSE(emulation);
    EXPECT_NE(emulation.error().what.find("while booting the machine"), std::string::npos);
}

} // namespace
} // namespace snapscope::emulator
