#include <snapscope/recording/access_trace.hpp>

#include <gtest/gtest.h>

namespace snapscope {
namespace {

AccessTrace sample() {
    AccessTrace trace;
    trace.topology = "2x2";
    trace.barrier_instructions = 5000;
    trace.ranges = {{"PGXACT", 0x7ffff7bf3280, 552}};
    trace.lines = {0x7ffff7bf3280, 0x7ffff7bf32c0};
    trace.functions = {"GetSnapshotData", "libc.so.6"};
    trace.marks = {"GetSnapshotData"};
    trace.accesses = {{0, 1, 0, 3, TracedKind::mark},
                      {0, 24, 0, 3, TracedKind::read},
                      {1, 300, 1, 0, TracedKind::write},
                      {1, 1, 0, 63, TracedKind::locked}};
    trace.window_begin = 1;
    trace.window_end = 4;
    return trace;
}

TEST(AccessTrace, ComesBackAsItWas) {
    const AccessTrace before = sample();
    const auto after = decode_access_trace(encode_access_trace(before));
    ASSERT_TRUE(after) << after.error().message();
    EXPECT_EQ(after->accesses, before.accesses);
    EXPECT_EQ(after->lines, before.lines);
    EXPECT_EQ(after->functions, before.functions);
    EXPECT_EQ(after->window_begin, before.window_begin);
    EXPECT_EQ(after->window_end, before.window_end);
    EXPECT_EQ(after->ranges.front().bytes, 552U);
}

// Wherever it is cut, it is refused or is a whole number of entries shorter,
// and then its window no longer lies within it.
TEST(AccessTrace, IsRefusedWhereverItIsCut) {
    const std::string bytes = encode_access_trace(sample());
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_FALSE(decode_access_trace(std::string_view(bytes).substr(0, length))) << length;
}

TEST(AccessTrace, AnIndexThatDoesNotExistIsRefused) {
    AccessTrace trace = sample();
    trace.accesses[1].target = 2;
    EXPECT_FALSE(decode_access_trace(encode_access_trace(trace)));
    trace = sample();
    trace.accesses[1].function = 2;
    EXPECT_FALSE(decode_access_trace(encode_access_trace(trace)));
    trace = sample();
    trace.accesses[1].count = 0;
    EXPECT_FALSE(decode_access_trace(encode_access_trace(trace)));
}

// No byte of it may crash the reader or make it read outside.
TEST(AccessTrace, EveryFlippedByteIsReadOrRefused) {
    const std::string bytes = encode_access_trace(sample());
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
        if (const auto trace = decode_access_trace(damaged)) {
            for (const TracedAccess& access : trace->accesses)
                EXPECT_LT(access.target, access.kind == TracedKind::mark ? trace->marks.size() : trace->lines.size());
        }
    }
}

} // namespace
} // namespace snapscope
