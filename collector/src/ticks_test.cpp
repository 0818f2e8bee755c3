#include <snapscope/collector/ticks.hpp>

#include <cmath>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

// A counter of 2.5 GHz beside a clock; `error_ns` is the clock's reading error.
TickSample at(double seconds, std::int64_t error_ns = 0) {
    return {1'000'000 + static_cast<std::uint64_t>(std::llround(seconds * 2.5e9)),
            5'000'000'000 + std::llround(seconds * 1e9) + error_ns, 30};
}

TEST(TickConversion, ConvertsWithinTheErrorOfItsSamples) {
    auto conversion = TickConversion::from(at(0), at(0.02, 40));
    ASSERT_TRUE(conversion);
    for (int i = 1; i <= 100; ++i)
        conversion->refine(at(0.05 * i, i % 2 == 0 ? 30 : -30));
    EXPECT_NEAR(static_cast<double>(conversion->to_ns(at(5).ticks) - at(5).ns), 0, 200);
    EXPECT_NEAR(conversion->ticks_per_ns(), 2.5, 1e-6);
}

TEST(TickConversion, NeverRunsBackwardAcrossACalibration) {
    auto conversion = TickConversion::from(at(0), at(0.02, 5000)).value();
    std::int64_t last = 0;
    for (int ms = 20; ms < 2000; ++ms) {
        if (ms % 100 == 0)
            conversion.refine(at(ms / 1000.0, ms % 200 == 0 ? -5000 : 5000));
        const std::int64_t now = conversion.to_ns(at(ms / 1000.0).ticks);
        EXPECT_GE(now, last);
        last = now;
    }
}

TEST(TickConversion, StampsFromBeforeTheLastCalibrationStillConvert) {
    auto conversion = TickConversion::from(at(0), at(0.02)).value();
    conversion.refine(at(1));
    EXPECT_NEAR(static_cast<double>(conversion.to_ns(at(0.9).ticks) - at(0.9).ns), 0, 10);
}

TEST(TickConversion, SaysHowFarOffItWas) {
    auto conversion = TickConversion::from(at(0), at(0.02)).value();
    conversion.refine(at(1, 700));
    EXPECT_NEAR(conversion.worst_residual_ns(), 730, 5);
}

TEST(TickConversion, CounterThatStandsStillIsAnError) {
    EXPECT_FALSE(TickConversion::from(at(0), at(0)));
    EXPECT_FALSE(TickConversion::from(at(1), at(0)));
}

} // namespace
} // namespace snapscope
