// perf's stream: what is written is read back, cut anywhere; what is damaged is refused.
#include "perf_stream_writer.hpp"

#include <snapscope/readers/perf_stream.hpp>

#include <gtest/gtest.h>

namespace snapscope {
namespace {

struct Seen final : PerfVisitor {
    std::vector<PerfSample> samples;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> forks;
    std::vector<std::uint32_t> ends;
    std::uint64_t lost_samples = 0, rounds = 0, throttles = 0;
    std::string traced;

    void sample(const PerfSample& one) override { samples.push_back(one); }
    void forked(std::uint32_t pid, std::uint32_t parent) override { forks.emplace_back(pid, parent); }
    void ended(std::uint32_t pid, std::uint64_t /*time_ns*/) override { ends.push_back(pid); }
    void lost(std::uint64_t count) override { lost_samples += count; }
    void throttled() override { ++throttles; }
    void round() override { ++rounds; }
    void trace(std::uint32_t /*cpu*/, std::span<const std::byte> bytes) override {
        traced.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
};

PerfSample sample(std::uint32_t event) {
    PerfSample out;
    out.event = event;
    out.ip = 0x55d000001234;
    out.address = 0x7f0012345678;
    out.pid = 4242;
    out.tid = 4243;
    out.time_ns = 17;
    out.cpu = 95;
    out.period = 1009;
    out.weight = 88;
    out.data_src = 0x629800842;
    out.running = RunningTime{400, 100};
    return out;
}

std::string whole_stream() {
    test::PerfStreamWriter writer({{}, {false, false, true, 777}});
    writer.forked(4242, 4000);
    writer.sample(sample(0));
    writer.trace(3, "SPE bytes");
    writer.sample(sample(1));
    writer.lost(12);
    writer.ended(4242, 99);
    writer.round();
    return writer.take();
}

void check(const Seen& seen, const PerfStream& stream) {
    ASSERT_EQ(stream.events().size(), 2U);
    EXPECT_TRUE(stream.events()[0].of_memory());
    EXPECT_TRUE(stream.events()[0].monotonic);
    ASSERT_EQ(seen.samples.size(), 2U);
    const PerfSample& first = seen.samples[0];
    EXPECT_EQ(first.ip, 0x55d000001234U);
    EXPECT_EQ(first.address, 0x7f0012345678U);
    EXPECT_EQ(first.pid, 4242U);
    EXPECT_EQ(first.tid, 4243U);
    EXPECT_EQ(first.time_ns, 17U);
    EXPECT_EQ(first.cpu, 95U);
    EXPECT_EQ(first.period, 1009U);
    EXPECT_EQ(first.weight, 88U);
    EXPECT_EQ(first.data_src, 0x629800842U);
    ASSERT_TRUE(first.running);
    EXPECT_EQ(first.running->enabled_ns, 400U);
    EXPECT_EQ(first.running->running_ns, 100U);
    EXPECT_EQ(seen.samples[1].event, 1U);
    EXPECT_EQ(seen.samples[1].period, 777U) << "a fixed period stands in the attributes";
    EXPECT_FALSE(seen.samples[1].running);
    EXPECT_EQ(seen.forks, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{4242, 4000}}));
    EXPECT_EQ(seen.ends, std::vector<std::uint32_t>{4242});
    EXPECT_EQ(seen.lost_samples, 12U);
    EXPECT_EQ(seen.rounds, 1U);
    EXPECT_EQ(seen.traced, "SPE bytes");
    EXPECT_TRUE(stream.end());
}

Status feed(PerfStream& stream, std::string_view bytes) {
    return stream.feed(std::as_bytes(std::span(bytes)));
}

TEST(PerfStream, ReadsWhatPerfWritesCutAnywhere) {
    const std::string bytes = whole_stream();
    for (std::size_t piece = 1; piece <= bytes.size(); piece += piece < 64 ? 1 : 101) {
        Seen seen;
        PerfStream stream(seen);
        for (std::size_t at = 0; at < bytes.size(); at += piece)
            ASSERT_TRUE(feed(stream, std::string_view(bytes).substr(at, piece))) << piece;
        check(seen, stream);
    }
}

TEST(PerfStream, EveryTruncationIsToldAndKeepsWhatCame) {
    const std::string bytes = whole_stream();
    std::size_t between_records = 0;
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        Seen seen;
        PerfStream stream(seen);
        ASSERT_TRUE(feed(stream, bytes.substr(0, length)));
        between_records += stream.end() ? 1U : 0U;
        EXPECT_LE(seen.samples.size(), 2U);
    }
    EXPECT_EQ(between_records, 9U) << "only a cut between records looks whole";
}

TEST(PerfStream, EveryFlippedByteIsReadOrRefusedNeverWorse) {
    const std::string bytes = whole_stream();
    for (std::size_t at = 0; at < bytes.size(); ++at)
        for (const int flip : {0x01, 0x80, 0xff}) {
            std::string damaged = bytes;
            damaged[at] = static_cast<char>(damaged[at] ^ flip);
            Seen seen;
            PerfStream stream(seen);
            (void)feed(stream, damaged);
            EXPECT_LE(seen.samples.size(), 2U);
        }
}

std::string refusal_of(std::string_view bytes) {
    Seen seen;
    PerfStream stream(seen);
    const auto fed = feed(stream, bytes);
    return fed ? "" : fed.error().what;
}

TEST(PerfStream, WhatIsNoStreamIsRefusedByName) {
    EXPECT_NE(refusal_of(std::string("PERFILE2\x68\0\0\0\0\0\0\0", 16)).find("perf.data file"), std::string::npos);
    EXPECT_NE(refusal_of(std::string("2ELIFREP\x10\0\0\0\0\0\0\0", 16)).find("byte order"), std::string::npos);
    EXPECT_NE(refusal_of("# captured on: today, by hand").find("PERFILE2"), std::string::npos);
    test::PerfStreamWriter writer;
    writer.record(9, std::string(40, '\x07'));
    EXPECT_NE(refusal_of(writer.take()).find("unknown event"), std::string::npos) << "one event, and no field of it";
    test::PerfStreamWriter compressed;
    compressed.record(81, "zstd");
    EXPECT_NE(refusal_of(compressed.take()).find("compressed"), std::string::npos);
}

} // namespace
} // namespace snapscope
