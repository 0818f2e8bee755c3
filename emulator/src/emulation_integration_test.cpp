// Boots: each some tens of seconds where nobody else is at work.
#include <snapscope/emulator/emulation.hpp>
#include <snapscope/emulator/guest_image.hpp>
#include <snapscope/emulator/row.hpp>
#include <snapscope/lab/scratch_folder.hpp>

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

namespace snapscope::emulator {
namespace {

using namespace std::chrono_literals;

const Progress quiet = [](std::string_view) {};

class EmulatedMachine : public testing::Test {
  protected:
    void SetUp() override {
        const char* prefix = std::getenv("SNAPSCOPE_PG_PREFIX");
        if (prefix == nullptr)
            GTEST_SKIP() << "SNAPSCOPE_PG_PREFIX names no patched PostgreSQL";
        auto packages = find_packages(cache_folder());
        if (!packages)
            GTEST_SKIP() << packages.error().message();
        packages_ = std::move(*packages);
        auto server = describe_server(prefix);
        ASSERT_TRUE(server) << server.error().message();
        server_ = std::move(*server);
        auto image = provide_image(cache_folder(), *server_, quiet, nullptr);
        ASSERT_TRUE(image) << image.error().message();
        image_ = std::move(*image);
    }

    Result<Emulation> run(const EmulationOptions& options, const std::atomic<bool>* stop = nullptr) {
        return emulate({packages_, *server_, machine_, image_}, options, quiet, stop);
    }

    static EmulationOptions small(const std::string& mode) {
        EmulationOptions options;
        options.mode = mode;
        options.clients = 4;
        options.phases = {{5000, 20}};
        options.limit = 550s;
        return options;
    }

    Packages packages_;
    std::optional<ServerMap> server_;
    std::filesystem::path image_;
    Machine machine_ = *machine_from_shape("2x2");
};

// The boot, the self-test of the plug-in, learning the addresses, pacing, a
// load, and the counts of a scan, which are known from the source.
TEST_F(EmulatedMachine, RecordsEachAccessOfAStockScan) {
    const auto emulation = run(small("off"));
    ASSERT_TRUE(emulation) << emulation.error().message();
    ASSERT_EQ(emulation->phases.size(), 1U);
    EXPECT_GT(emulation->phases.front().barriers, 0U);
    const PhaseTruth truth = analyse_phase(emulation->phases.front(), machine_.topology);
    const auto call = std::ranges::find(truth.calls, "PGXACT", &CallTruth::structure);
    ASSERT_NE(call, truth.calls.end());
    EXPECT_EQ(call->reads, 4U * 3 + 1);
    EXPECT_EQ(emulation->loads.front().transactions, 80U);
}

TEST_F(EmulatedMachine, LeavesNothingBehindWhenItIsInterrupted) {
    const std::atomic<bool> stop{true};
    const auto emulation = run(small("off"), &stop);
    ASSERT_FALSE(emulation);
    EXPECT_NE(emulation.error().what.find("interrupted"), std::string::npos);
}

TEST_F(EmulatedMachine, SaysHowFarItCameWhenItTookTooLong) {
    EmulationOptions options = small("off");
    options.limit = 2s;
    const auto emulation = run(options);
    ASSERT_FALSE(emulation);
    EXPECT_NE(emulation.error().what.find("while booting the machine"), std::string::npos);
}

TEST_F(EmulatedMachine, AServerThatDoesNotStartIsReportedWithItsConsole) {
    EmulationOptions options = small("off");
    options.settings = {{"shared_buffers", "nonsense"}};
    const auto emulation = run(options);
    ASSERT_FALSE(emulation);
    EXPECT_NE(emulation.error().what.find("the server ended while starting"), std::string::npos);
    EXPECT_NE(emulation.error().hint.find("shared_buffers"), std::string::npos);
}

} // namespace
} // namespace snapscope::emulator
