// The trace as babeltrace2, an independent reader of CTF, sees it.
#include "sample_trace.hpp"

#include <array>
#include <cstdio>
#include <gmock/gmock.h>
#include <sys/wait.h>

namespace snapscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Output {
    int exit_status = -1;
    std::string out, err;
};

class BabeltraceTest : public TraceTest {
  protected:
    void SetUp() override {
        TraceTest::SetUp();
        if (std::string(SNAPSCOPE_BABELTRACE2).empty())
            GTEST_SKIP() << "babeltrace2 is not installed";
    }

    Output run(const std::string& options) {
        const auto out = (folder / "out").string();
        const auto err = (folder / "err").string();
        const std::string command = std::string("LC_ALL=C TZ=UTC '") + SNAPSCOPE_BABELTRACE2 + "' " + options + " '" +
                                    path().string() + "' >'" + out + "' 2>'" + err + "'";
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, bytes_of(out), bytes_of(err)};
    }
    static std::size_t count(const std::string& text, const std::string& what) {
        std::size_t found = 0;
        for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
            ++found;
        return found;
    }

    void write_sample() {
        auto info = sample_trace_info();
        info.host = "we\"ird\\host\t\xff";
        auto writer = EventTraceWriter::create(path(), info);
        ASSERT_TRUE(writer) << writer.error().message();
        std::int64_t time_ns = 5'000'000'000'000; // beyond 32 bits and any short stamp
        for (int round = 0; round < 3; ++round, time_ns += 1'000'000'000'000)
            for (std::uint32_t slot = 0; slot < 5; ++slot) {
                ASSERT_TRUE(writer->append(EventSource::ring, slot, sample_events(slot, time_ns + slot, 10, 28), 0));
                ASSERT_TRUE(writer->append(EventSource::ebpf, slot, sample_events(slot, time_ns, 11, 14), 0));
            }
        ASSERT_TRUE(writer->append(EventSource::ring, 2, sample_events(2, time_ns, 10, 28), 17));
        ASSERT_TRUE(writer->append(EventSource::ring, 3, {}, 1234));  // a burst lost whole
        ASSERT_TRUE(writer->append(EventSource::ring, 99, {}, 4321)); // of a slot without an event
        Event odd = sample_event(4, time_ns, 200);                    // a type of a later version
        ASSERT_TRUE(writer->append(EventSource::ring, 4, std::span(&odd, 1), 0));
        ASSERT_TRUE(writer->finish());
    }
    static constexpr std::size_t sample_count = 3 * 5 * (28 + 14) + 28 + 1;
};

TEST_F(BabeltraceTest, ReadsATraceToTheEndAndShowsEveryEvent) {
    write_sample();
    const Output seen = run("--clock-gmt --clock-date");
    EXPECT_EQ(seen.exit_status, 0) << seen.err;
    EXPECT_EQ(count(seen.out, "\n"), sample_count);
    EXPECT_EQ(count(seen.out, "ring:snapshot_start:"), 3 * 5 * 2 + 2);
    EXPECT_EQ(count(seen.out, "ebpf:snapshot_done:"), 3 * 5);
    // wall_offset_ns + 5,000 s
    EXPECT_THAT(seen.out, HasSubstr("2024-05-01 13:23:20.123456789"));
    EXPECT_THAT(seen.out, HasSubstr("outcome = ( \"rebuilt\" : container = 2 ), lines = 65535, flags = 0x5, "
                                    "xcnt = 11, subxcnt = 12, xmin = 4294967295, xmax = 14"));
    EXPECT_THAT(seen.out, HasSubstr("reason = ( \"vacuum_flag\""));
    EXPECT_THAT(seen.out, HasSubstr("wait_kind = ( \"builder\""));
    EXPECT_THAT(seen.out, HasSubstr("slot = 4, pid = 1004"));
    EXPECT_THAT(seen.out, HasSubstr("ring:record:"));
}

TEST_F(BabeltraceTest, SaysNothingButTheDiscardedEvents) {
    write_sample();
    const Output seen = run("");
    std::istringstream lines(seen.err);
    std::string all;
    for (std::string line; std::getline(lines, line);) {
        EXPECT_THAT(line, HasSubstr("racer discarded")) << "an unexpected complaint";
        all += line + "\n";
    }
    for (const char* const burst : {"17 events", "1234 events", "4321 events"})
        EXPECT_THAT(all, HasSubstr(burst));
    EXPECT_EQ(count(all, "discarded"), 3U);
}

TEST_F(BabeltraceTest, SaysNothingWhereNothingWasLost) {
    auto writer = must_create();
    ASSERT_TRUE(writer.append(EventSource::ring, 1, sample_events(1, 1, 1, 5000), 0));
    ASSERT_TRUE(writer.finish());
    const Output seen = run("-v");
    EXPECT_EQ(seen.exit_status, 0);
    EXPECT_THAT(seen.err, Not(HasSubstr(" W ")));
    EXPECT_THAT(seen.err, Not(HasSubstr("discarded events messages")));
    EXPECT_EQ(count(seen.out, "\n"), 5000U);
}

TEST_F(BabeltraceTest, TakesAHostNameOfAnyBytes) {
    auto info = sample_trace_info();
    info.host.clear();
    for (int byte = 255; byte >= 0; --byte)
        info.host += static_cast<char>(byte);
    auto writer = EventTraceWriter::create(path(), info);
    ASSERT_TRUE(writer && writer->append(EventSource::ring, 1, sample_events(1, 1, 1, 3), 0) && writer->finish());
    const Output seen = run("");
    EXPECT_EQ(seen.exit_status, 0) << seen.err;
    EXPECT_EQ(seen.err, "");
    EXPECT_EQ(count(seen.out, "ring:"), 3U);
}

} // namespace
} // namespace snapscope
