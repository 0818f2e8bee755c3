#include "svg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(Ticks, AreRoundAndInside) {
    EXPECT_THAT(ticks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
    EXPECT_THAT(ticks(39.2, 44.1, 4), ElementsAre(40, 42, 44));
    EXPECT_THAT(ticks(0, 0.3, 3), ElementsAre(DoubleNear(0, 1e-12), DoubleNear(0.1, 1e-12), DoubleNear(0.2, 1e-12),
                                              DoubleNear(0.3, 1e-12)));
    EXPECT_THAT(ticks(-3, 3, 3), ElementsAre(-2, 0, 2));
}

TEST(Ticks, NoneWhereThereIsNoRange) {
    EXPECT_TRUE(ticks(1, 1, 4).empty());
    EXPECT_TRUE(ticks(2, 1, 4).empty());
    EXPECT_TRUE(ticks(0, std::numeric_limits<double>::infinity(), 4).empty());
}

TEST(Scale, MapsItsEndsAndTheMiddleOfNothing) {
    const Scale scale{10, 20, 100, 0};
    EXPECT_EQ(scale(10), 100);
    EXPECT_EQ(scale(20), 0);
    EXPECT_EQ((Scale{5, 5, 0, 10})(5), 5);
}

} // namespace
} // namespace snapscope
