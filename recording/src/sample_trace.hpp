// Events and traces to test with.
#pragma once

#include "test_folder.hpp"

#include <snapscope/probes/abi.h>
#include <snapscope/recording/event_trace.hpp>

#include <vector>

namespace snapscope {

inline EventTraceInfo sample_trace_info() {
    EventTraceInfo info;
    info.run_id = "0123456789abcdef0123456789abcdef";
    info.host = "db1";
    info.server_version = "13.16";
    info.postmaster_pid = 4242;
    info.wall_offset_ns = 1'714'564'800'123'456'789;
    return info;
}

// An event of `type` that uses every word that its type has.
inline Event sample_event(std::uint32_t slot, std::int64_t time_ns, std::uint8_t type) {
    Event event;
    event.time_ns = time_ns;
    event.slot = slot;
    event.pid = 1000 + slot;
    event.type = type;
    event.cpu = static_cast<std::uint16_t>(slot % 8);
    switch (type) {
    case SNAPSCOPE_EV_SNAPSHOT_DONE:
        event.outcome = SNAPSCOPE_OUTCOME_REBUILT;
        event.flags = SNAPSCOPE_FLAG_WAITED | SNAPSCOPE_FLAG_SUBOVERFLOWED;
        event.lines = 65535;
        event.a = 11, event.b = 12, event.c = 4294967295U, event.d = 14;
        break;
    case SNAPSCOPE_EV_REBUILD:
    case SNAPSCOPE_EV_COPY:
        event.lines = 21;
        event.a = 22, event.b = 23, event.c = 24, event.d = 25;
        break;
    case SNAPSCOPE_EV_INVALIDATE:
        event.outcome = SNAPSCOPE_REASON_VACUUM_FLAG;
        event.a = 31;
        break;
    case SNAPSCOPE_EV_HORIZON_REFRESH:
        event.lines = 41;
        event.a = 42;
        break;
    case SNAPSCOPE_EV_WAIT:
        event.a = 51, event.b = SNAPSCOPE_WAIT_BUILDER;
        break;
    case SNAPSCOPE_EV_XID_ASSIGNED:
    case SNAPSCOPE_EV_XMIN_CLEARED:
    case SNAPSCOPE_EV_SLOT_TAKEN:
    case SNAPSCOPE_EV_RING_ON:
        event.a = 61, event.b = 1;
        break;
    case SNAPSCOPE_EV_SNAPSHOT_START:
        break;
    default:
        event.a = 71;
    }
    return event;
}

// `count` events of all types in turn, `step_ns` apart.
inline std::vector<Event> sample_events(std::uint32_t slot, std::int64_t from_ns, std::int64_t step_ns, int count) {
    std::vector<Event> out;
    for (int i = 0; i < count; ++i)
        out.push_back(
            sample_event(slot, from_ns + i * step_ns, static_cast<std::uint8_t>(1 + i % (SNAPSCOPE_EV_COUNT - 1))));
    return out;
}

class TraceTest : public FolderTest {
  protected:
    std::filesystem::path path() { return folder / "events"; }

    EventTraceWriter must_create() {
        auto writer = EventTraceWriter::create(path(), sample_trace_info());
        EXPECT_TRUE(writer) << writer.error().message();
        return std::move(writer).value();
    }
    EventTraceReader must_open() {
        auto reader = EventTraceReader::open(path());
        EXPECT_TRUE(reader) << reader.error().message();
        return std::move(reader).value();
    }
    // All events, or as many as come before an error.
    static std::vector<EventTraceReader::Item> all(EventTraceReader& reader) {
        std::vector<EventTraceReader::Item> out;
        for (;;) {
            const auto item = reader.next();
            EXPECT_TRUE(item) << item.error().message();
            if (!item || !*item)
                return out;
            out.push_back(**item);
        }
    }
};

} // namespace snapscope
