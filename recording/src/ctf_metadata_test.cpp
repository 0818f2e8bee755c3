#include "ctf_metadata.hpp"
#include "sample_trace.hpp"

#include <gmock/gmock.h>

namespace snapscope {
namespace {

using ::testing::HasSubstr;

TEST(CtfMetadata, WhatItSaysOfTheTraceComesBack) {
    EventTraceInfo info = sample_trace_info();
    info.host = "a \"b\" \\ \n\t\x01\x7f }; env {\n hostname = \"x\"; \xc3\xa9";
    for (const std::int64_t offset :
         {std::int64_t{0}, std::int64_t{-1}, std::int64_t{-1'000'000'000}, INT64_MAX, INT64_MIN + 1'000'000'000}) {
        info.wall_offset_ns = offset;
        const auto read = ctf::read_metadata(ctf::write_metadata(info));
        ASSERT_TRUE(read) << read.error().message();
        EXPECT_EQ(read->run_id, info.run_id);
        EXPECT_EQ(read->host, info.host);
        EXPECT_EQ(read->server_version, info.server_version);
        EXPECT_EQ(read->postmaster_pid, info.postmaster_pid);
        EXPECT_EQ(read->wall_offset_ns, offset);
    }
}

TEST(CtfMetadata, BytesThatNoReaderTakesAreReplaced) {
    EventTraceInfo info = sample_trace_info();
    info.host = std::string("a\0b\xff", 4);
    const auto read = ctf::read_metadata(ctf::write_metadata(info));
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->host, "a\xef\xbf\xbd"
                          "b\xef\xbf\xbd");
}

TEST(CtfMetadata, EveryEventTypeHasAClassInBothStreams) {
    const std::string text = ctf::write_metadata(sample_trace_info());
    for (const char* const name :
         {"snapshot_start", "snapshot_done", "rebuild", "wait", "copy", "invalidate", "xid_assigned", "xact_end",
          "xmin_set", "xmin_cleared", "slot_taken", "slot_released", "ring_on", "horizon_refresh"}) {
        EXPECT_THAT(text, HasSubstr(std::string("\"ring:") + name + '"'));
        EXPECT_THAT(text, HasSubstr(std::string("\"ebpf:") + name + '"'));
    }
}

TEST(CtfMetadata, AnotherLayoutIsRefused) {
    std::string text = ctf::write_metadata(sample_trace_info());
    text.replace(text.find("trace_layout = 1"), 16, "trace_layout = 2");
    const auto read = ctf::read_metadata(text);
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().what, HasSubstr("layout 2"));
}

} // namespace
} // namespace snapscope
