#include "event_pump.hpp"

#include <gtest/gtest.h>

namespace snapscope {
namespace {

using std::chrono::microseconds;

TEST(Pause, IsNeverShorterThanAMillisecond) {
    EXPECT_EQ(next_pause(microseconds(1000), microseconds(10), 1.0), microseconds(1000));
    EXPECT_EQ(next_pause(microseconds(0), microseconds(0), 0.0), microseconds(1000));
}

TEST(Pause, GrowsWhileBuffersHardlyFillAndStaysBounded) {
    auto pause = microseconds(1000);
    for (int i = 0; i < 50; ++i)
        pause = next_pause(pause, microseconds(20), 0.0);
    EXPECT_EQ(pause, microseconds(4000));
}

TEST(Pause, KeepsADrainToATwentiethOfACpuUnlessRecordsWouldBeLost) {
    EXPECT_GE(next_pause(microseconds(1000), microseconds(300), 0.1), microseconds(6000));
    EXPECT_EQ(next_pause(microseconds(4000), microseconds(300), 0.5), microseconds(1000));
}

} // namespace
} // namespace snapscope
