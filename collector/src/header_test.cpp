#include <snapscope/collector/header.hpp>

#include <functional>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

snapscope_header sound_header() {
    snapscope_header h{};
    h.magic = SNAPSCOPE_ABI_MAGIC;
    h.version = SNAPSCOPE_ABI_VERSION;
    h.header_bytes = sizeof h;
    h.postmaster_pid = 42;
    h.mode = SNAPSCOPE_MODE_COPY;
    h.clock = SNAPSCOPE_CLOCK_TSC;
    h.slots = 100;
    h.max_connections = 50;
    h.max_backends = 80;
    h.server_version = 130016;
    h.max_lease_ticks = 1000;
    h.consumer_offset = 4096;
    h.tails_offset = 4096 + 128;
    h.counters_offset = 20480;
    h.rings_offset = 49152;
    h.ring_capacity = 64;
    h.ring_stride = 4096;
    h.record_bytes = sizeof(snapscope_record);
    h.total_bytes = h.rings_offset + 100 * h.ring_stride;
    return h;
}

TEST(Header, SoundOneIsTaken) {
    const auto h = sound_header();
    EXPECT_TRUE(check_header(h, h.total_bytes));
}

TEST(Header, FileOfAnotherSizeIsRefused) {
    const auto h = sound_header();
    EXPECT_FALSE(check_header(h, h.total_bytes - 4096));
    EXPECT_FALSE(check_header(h, h.total_bytes + 4096));
}

struct Damage {
    const char* what;
    std::function<void(snapscope_header&)> apply;
};

class DamagedHeader : public testing::TestWithParam<Damage> {};

TEST_P(DamagedHeader, IsRefused) {
    auto h = sound_header();
    const auto bytes = h.total_bytes;
    GetParam().apply(h);
    EXPECT_FALSE(check_header(h, bytes)) << GetParam().what;
}

INSTANTIATE_TEST_SUITE_P(
    EveryField, DamagedHeader,
    testing::Values(Damage{"magic", [](auto& h) { h.magic ^= 1; }}, Damage{"version", [](auto& h) { ++h.version; }},
                    Damage{"header size", [](auto& h) { ++h.header_bytes; }},
                    Damage{"record size", [](auto& h) { h.record_bytes = 64; }},
                    Damage{"total", [](auto& h) { h.total_bytes += 4096; }},
                    Damage{"postmaster", [](auto& h) { h.postmaster_pid = 0; }},
                    Damage{"mode", [](auto& h) { h.mode = SNAPSCOPE_MODE_LOCKFREE + 1; }},
                    Damage{"no clock", [](auto& h) { h.clock = 0; }}, Damage{"clock", [](auto& h) { h.clock = 3; }},
                    Damage{"no slots", [](auto& h) { h.slots = 0; }},
                    Damage{"many slots", [](auto& h) { h.slots = 101; }},
                    Damage{"absurd slots", [](auto& h) { h.slots = UINT32_MAX; }},
                    Damage{"connections", [](auto& h) { h.max_connections = 81; }},
                    Damage{"no connections", [](auto& h) { h.max_connections = 0; }},
                    Damage{"backends", [](auto& h) { h.max_backends = 101; }},
                    Damage{"server version", [](auto& h) { h.server_version = 0; }},
                    Damage{"no lease", [](auto& h) { h.max_lease_ticks = 0; }},
                    Damage{"endless lease", [](auto& h) { h.max_lease_ticks = UINT64_MAX; }},
                    Damage{"consumer in header", [](auto& h) { h.consumer_offset = 0; }},
                    Damage{"consumer off page", [](auto& h) { h.consumer_offset += 8; }},
                    Damage{"consumer far", [](auto& h) { h.consumer_offset = 0xfffffffffffff000; }},
                    Damage{"tails on control", [](auto& h) { h.tails_offset = h.consumer_offset; }},
                    Damage{"tails unaligned", [](auto& h) { h.tails_offset += 8; }},
                    Damage{"tails into counters", [](auto& h) { h.tails_offset = h.counters_offset - 128; }},
                    Damage{"counters into rings", [](auto& h) { h.counters_offset = h.rings_offset - 4096; }},
                    Damage{"counters on tails", [](auto& h) { h.counters_offset = 4096; }},
                    Damage{"counters far", [](auto& h) { h.counters_offset = UINT64_MAX - 4095; }},
                    Damage{"rings off page", [](auto& h) { h.rings_offset += 64; }},
                    Damage{"rings past end", [](auto& h) { h.rings_offset += 4096; }},
                    Damage{"rings far", [](auto& h) { h.rings_offset = UINT64_MAX - 4095; }},
                    Damage{"stride small", [](auto& h) { h.ring_stride = 2048; }},
                    Damage{"stride wraps", [](auto& h) { h.ring_stride = 1ULL << 60; }},
                    Damage{"no stride", [](auto& h) { h.ring_stride = 0; }},
                    Damage{"capacity", [](auto& h) { h.ring_capacity = 63; }},
                    Damage{"no capacity", [](auto& h) { h.ring_capacity = 0; }},
                    Damage{"large capacity", [](auto& h) { h.ring_capacity = 128; }},
                    Damage{"array stride", [](auto& h) { h.pgxact_stride = 1U << 30; }},
                    Damage{"pgproc stride", [](auto& h) { h.pgproc_stride = 1U << 30; }}));

TEST(Layout, EntriesOfTwelveBytesStraddleAsCountedByHand) {
    // 384 bytes; offsets 60, 120, 180, ... : entries 5, 10, 21 and 26 cross a line, 15 starts at 180 and fits none.
    const auto array = describe_array("PGXACT", 0x1000, 12, 32);
    EXPECT_EQ(array.lines, 6U);
    EXPECT_EQ(array.straddling_entries, 4U);
    EXPECT_EQ(describe_array("PGXACT", 0x103c, 12, 1).straddling_entries, 1U);
    EXPECT_EQ(describe_array("PGXACT", 0x103c, 12, 1).lines, 2U);
    EXPECT_EQ(describe_array("PGPROC", 0x1000, 856, 2).straddling_entries, 2U);
}

TEST(Names, FollowTheContract) {
    EXPECT_STREQ(reason_name(SNAPSCOPE_REASON_XACT_END), "xact_end");
    EXPECT_STREQ(reason_name(SNAPSCOPE_REASON_RESTORED_XMIN), "restored_xmin");
    EXPECT_STREQ(reason_name(SNAPSCOPE_REASON_SLOT_XMIN), "slot_xmin");
    EXPECT_EQ(reason_name(SNAPSCOPE_REASON_COUNT), nullptr);
    EXPECT_STREQ(mode_name(SNAPSCOPE_MODE_LOCKFREE), "lockfree");
    EXPECT_EQ(version_text(130016), "13.16");
    EXPECT_EQ(version_text(90624), "9.6.24");
}

} // namespace
} // namespace snapscope
