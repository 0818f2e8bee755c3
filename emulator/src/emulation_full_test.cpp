// Modes against the unpatched server: several boots, minutes.
#include "boot_test.hpp"

#include <algorithm>

namespace snapscope::emulator {
namespace {

class EmulatedModes : public BootTest {
  protected:
    static constexpr std::size_t repeats = 3;

    // Cross-socket events a snapshot with 8 clients, at the usual barrier.
    double events(const char* prefix_variable, const std::string& mode, bool spread, const std::string& workload,
                  std::uint64_t transactions) {
        use_server(prefix_variable);
        if (IsSkipped() || HasFatalFailure())
            return 0;
        EmulationOptions options = small_load(mode);
        options.slot_spread = spread;
        options.clients = 8;
        options.workload = workload;
        options.phases.assign(repeats, {5000, transactions});
        options.limit = std::chrono::seconds(900);
        const auto emulation = run(options);
        EXPECT_TRUE(emulation) << emulation.error().message();
        EmulatedRow row;
        if (emulation)
            for (const RecordedPhase& phase : emulation->phases)
                row.repeats.push_back(analyse_phase(phase, machine_.topology));
        last_ = row;
        return row.repeats.empty() ? 0 : events_per_snapshot(row);
    }

    EmulatedRow last_;
};

TEST_F(EmulatedModes, SpreadLockFreeReadersCrossSocketsHardlyEver) {
    const double stock = events("SNAPSCOPE_PG_UNPATCHED_PREFIX", "", false, "select-only", 150);
    if (IsSkipped())
        return;
    EXPECT_GT(stock, 2.0);
    EXPECT_LT(spread_percent(last_).value_or(100), 10.0);
    EXPECT_LT(events("SNAPSCOPE_PG_PREFIX", "lockfree", true, "select-only", 150), 0.15);
}

TEST_F(EmulatedModes, SpreadLockFreeWritersCrossLessThanStock) {
    const double stock = events("SNAPSCOPE_PG_UNPATCHED_PREFIX", "", false, "tpcb-like", 40);
    if (IsSkipped())
        return;
    const double own = events("SNAPSCOPE_PG_PREFIX", "lockfree", true, "tpcb-like", 40);
    EXPECT_GT(own, 0.0);
    EXPECT_LT(own / stock, 0.75);
}

TEST_F(EmulatedModes, AServerThatDoesNotStartIsReportedWithItsConsole) {
    use_server("SNAPSCOPE_PG_PREFIX");
    if (IsSkipped())
        return;
    EmulationOptions options = small_load("off");
    options.settings = {{"shared_buffers", "nonsense"}};
    const auto emulation = run(options);
    ASSERT_FALSE(emulation);
    EXPECT_NE(emulation.error().what.find("the server ended while starting"), std::string::npos);
    EXPECT_NE(emulation.error().hint.find("shared_buffers"), std::string::npos);
}

} // namespace
} // namespace snapscope::emulator
