// perf's stream down to what counts: a million samples over a known layout,
// windows by time, and whose samples they are.
#include "hitm_stream.hpp"

#include <gtest/gtest.h>
#include <perf_stream_writer.hpp>

namespace snapscope {
namespace {

constexpr std::uint64_t base = 0x7f1200000000;
constexpr std::uint64_t hitm_local = 0x629800842, hitm_remote = hitm_local | 1ULL << 37U;
constexpr std::uint64_t store_hit = 0x229080144;
constexpr std::uint32_t postmaster = 1000, backend = 1001, other = 2000;

AddressMap map() {
    return AddressMap({{"PGXACT", base, 12, 1000, known_fields("PGXACT"), true}});
}

std::optional<std::uint32_t> nobody(std::uint32_t /*pid*/) {
    return std::nullopt;
}

PerfSample sample(std::uint32_t pid, std::uint64_t address, std::uint64_t data_src, std::uint64_t time_ns) {
    PerfSample out;
    out.pid = pid;
    out.address = address;
    out.data_src = data_src;
    out.time_ns = time_ns;
    out.cpu = 0;
    out.period = 10;
    return out;
}

// Sample I of the known stream: every entry and field in turn, each third remote, each third local, a store.
PerfSample known(std::uint64_t i) {
    const std::uint64_t entry = i % 1000;
    PerfSample out = sample(backend, base + 12 * entry + 4 * (i / 1000 % 2), 0, 1 + i);
    out.data_src = i % 3 == 0 ? hitm_remote : i % 3 == 1 ? hitm_local : store_hit;
    out.cpu = static_cast<std::uint32_t>(i % 96);
    out.ip = 0x400000 + i % 50;
    return out;
}

void feed(PerfStream& stream, test::PerfStreamWriter& writer) {
    const std::string bytes = writer.take();
    ASSERT_TRUE(stream.feed(std::as_bytes(std::span(bytes))));
}

TEST(HitmStream, AMillionSamplesAreResolvedAndCountedExactly) {
    constexpr std::uint64_t samples = 1'000'000, chunk = 1000;
    HitmStream counted(map(), postmaster, nobody);
    PerfStream stream(counted);
    test::PerfStreamWriter writer({{true, false, true, 1000}});
    writer.forked(backend, postmaster);
    std::map<std::uint64_t, std::uint64_t> hitm_of_line;
    std::size_t lines_early = 0, fields_early = 0, functions_early = 0;
    for (std::uint64_t i = 0; i < samples; ++i) {
        const PerfSample one = known(i);
        writer.sample(one);
        hitm_of_line[one.address / 64 * 64] += i % 3 < 2 ? 1U : 0U;
        if (i % chunk != chunk - 1)
            continue;
        feed(stream, writer);
        if (i + 1 == samples / 10) {
            lines_early = counted.tally().lines().size();
            fields_early = counted.tally().fields().size();
            functions_early = counted.tally().functions().size();
        }
    }
    const LineTally& tally = counted.tally();
    EXPECT_EQ(counted.in_arrays(), samples);
    EXPECT_EQ(tally.all().hitm_remote, (samples + 2) / 3);
    EXPECT_EQ(tally.all().hitm_local, (samples + 1) / 3);
    EXPECT_EQ(tally.all().stores, samples / 3);
    EXPECT_DOUBLE_EQ(tally.all().remote.events, 10.0 * static_cast<double>(tally.all().hitm_remote));
    const auto lines = tally.lines();
    for (const auto& [line, count] : hitm_of_line)
        EXPECT_EQ(lines.at(line).hitm(), count) << tally.map().line_text(line);
    EXPECT_EQ(tally.fields().size(), 2000U);
    for (const auto& [address, counts] : tally.fields())
        EXPECT_EQ(counts.hitm() + counts.stores, samples / 2000) << tally.map().field_text(*tally.map().find(address));
    // Nothing grows with the stream.
    EXPECT_EQ(tally.lines().size(), lines_early);
    EXPECT_EQ(tally.fields().size(), fields_early);
    EXPECT_EQ(tally.functions().size(), functions_early);
}

TEST(HitmStream, OnlyTheServersProcessesCount) {
    HitmStream counted(map(), postmaster, [](std::uint32_t pid) {
        return pid == 3000 ? std::optional<std::uint32_t>(postmaster) : std::nullopt;
    });
    counted.forked(backend, postmaster);
    counted.forked(other, 1);
    counted.sample(sample(backend, base, hitm_remote, 1));
    counted.sample(sample(postmaster, base, hitm_remote, 1));
    counted.sample(sample(other, base, hitm_remote, 1));
    counted.sample(sample(3000, base, hitm_remote, 1)); // asked for: it runs
    counted.sample(sample(4000, base, hitm_remote, 1)); // waits for its FORK
    EXPECT_EQ(counted.in_arrays(), 3U);
    counted.forked(4000, postmaster);
    for (int i = 0; i < 4; ++i)
        counted.round();
    EXPECT_EQ(counted.in_arrays(), 4U);
    counted.sample(sample(5000, base, hitm_remote, 1));
    counted.finish();
    EXPECT_EQ(counted.unknown_process(), 1U);
    // A number that is used again is somebody else.
    counted.ended(backend, 2);
    counted.forked(backend, 1);
    for (int i = 0; i < 4; ++i)
        counted.round();
    counted.sample(sample(backend, base, hitm_remote, 3));
    EXPECT_EQ(counted.in_arrays(), 4U);
}

TEST(HitmStream, SamplesFallIntoTheWindowOfTheirStamp) {
    HitmStream counted(map(), postmaster, nobody);
    counted.begin(100);
    const auto hit = [&](std::uint64_t time) { counted.sample(sample(postmaster, base, hitm_remote, time)); };
    hit(99); // before
    hit(100);
    hit(250); // of the next window, and there already
    counted.close_window(200);
    hit(199); // late
    counted.end(290);
    hit(290);
    hit(291); // behind the end
    counted.close_window(300);
    hit(200);
    ASSERT_EQ(counted.windows().size(), 2U);
    EXPECT_EQ(counted.windows()[0].remote, 2U);
    EXPECT_EQ(counted.windows()[1].remote, 3U);
    EXPECT_EQ(counted.tally().all().hitm_remote, 5U);
}

} // namespace
} // namespace snapscope
