#include <snapscope/recording/wall_clock.hpp>

#include <gtest/gtest.h>

namespace snapscope {
namespace {

TEST(WallTime, EveryNanosecondComesBack) {
    for (const std::int64_t time :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{1714564800000000001},
          std::int64_t{951782400000000000} /* 2000-02-29 */})
        EXPECT_EQ(parse_wall_time(format_wall_time(time)), time) << format_wall_time(time);
    EXPECT_EQ(format_wall_time(1714564800000000001), "2024-05-01T12:00:00.000000001Z");
}

TEST(WallTime, FractionsMayBeShortOrAbsent) {
    EXPECT_EQ(parse_wall_time("1970-01-01T00:00:01Z"), 1'000'000'000);
    EXPECT_EQ(parse_wall_time("1970-01-01T00:00:01.5Z"), 1'500'000'000);
}

TEST(WallTime, WhatIsNoTimeInUtcIsRefused) {
    for (const char* const bad :
         {"", "now", "1970-01-01", "1970-01-01T00:00:01", "1970-01-01T00:00:01+00:00", "1970-01-01T00:00:01.Z",
          "1970-01-01T00:00:01.0000000001Z", "1970-01-01T00:00:01.-5Z", "1970-13-01T00:00:01Z", "1970-02-30T00:00:01Z",
          "1970-01-01T24:00:00Z", "1970-01-01T00:60:00Z", "1970-01-01T00:00:60Z", "1970-01-01 00:00:01Z",
          "9999-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "1970-01-01T00:00:01Zx"})
        EXPECT_EQ(parse_wall_time(bad), std::nullopt) << bad;
}

} // namespace
} // namespace snapscope
