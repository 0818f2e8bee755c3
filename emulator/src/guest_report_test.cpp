#include "guest_report.hpp"

#include <gtest/gtest.h>

namespace snapscope::emulator {
namespace {

const Progress quiet = [](std::string_view) {};

TEST(GuestReport, TakesWholeLinesAndWaitsForTheRestOfOne) {
    GuestReport report;
    std::string text = "booted\r\ncpu 0 socket 0\ncpu 1 socket 1\nrange PGXACT 4096 1";
    ASSERT_TRUE(report.take(text, quiet));
    EXPECT_TRUE(report.server().ranges.empty());
    text += "20\nphase 1\nload tps = 5\nload end\n";
    ASSERT_TRUE(report.take(text, quiet));
    ASSERT_EQ(report.server().ranges.size(), 1U);
    EXPECT_EQ(report.server().ranges.front().bytes, 120U);
    EXPECT_EQ(report.sockets(), (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(report.phase(), 1U);
    EXPECT_EQ(report.loads().at(1), "tps = 5\nend\n");
    EXPECT_FALSE(report.done());
}

TEST(GuestReport, WhatTheGuestCallsAFailureIsAnErrorWithItsWords) {
    GuestReport report;
    const Status status = report.take("booted\nfailed the server ended while starting\n", quiet);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().what, "the guest failed: the server ended while starting");
}

TEST(GuestReport, LinesThatNobodyKnowsAreNotTakenForOthers) {
    GuestReport report;
    ASSERT_TRUE(report.take("range PGXACT x 1\nrange\nphase\ncpu 5 socket 1\ntext 1 2\nhello\n", quiet));
    EXPECT_TRUE(report.server().ranges.empty());
    EXPECT_TRUE(report.sockets().empty());
    EXPECT_EQ(report.phase(), 0U);
}

} // namespace
} // namespace snapscope::emulator
