// Where events come from, as the drain thread sees it (event_pump.hpp).
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/event_trace.hpp>

#include <cstdint>

namespace snapscope {

struct Drained {
    std::uint64_t records = 0;
    double fullest = 0; // largest filled share of a buffer before it was emptied
};

class EventFeed {
  public:
    EventFeed() = default;
    EventFeed(const EventFeed&) = delete;
    EventFeed& operator=(const EventFeed&) = delete;
    EventFeed(EventFeed&&) = delete;
    EventFeed& operator=(EventFeed&&) = delete;
    virtual ~EventFeed() = default;

    // Moves everything there is into the trace; called by one thread at a time.
    virtual Result<Drained> drain(EventTraceWriter& trace) = 0;
    // Stops the events, then moves what is left; the last call.
    virtual Status close(EventTraceWriter& trace) = 0;
};

} // namespace snapscope
