#include <snapscope/collector/capabilities.hpp>

#include <gtest/gtest.h>

namespace snapscope {
namespace {

constexpr const char* some = "cap_dac_override";

TEST(LoweredCapabilities, AreGoneForAWhile) {
    if (!has_capability(some))
        GTEST_SKIP() << "there is none to lower: not run as root";
    {
        const LoweredCapabilities lowered;
        EXPECT_FALSE(has_capability(some));
        const LoweredCapabilities again; // of none
        EXPECT_FALSE(has_capability(some));
    }
    EXPECT_TRUE(has_capability(some));
}

} // namespace
} // namespace snapscope
