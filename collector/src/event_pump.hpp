// The one thread that moves events from their buffers into the trace.
//
// It sleeps between two drains: 1 ms while buffers fill quickly, up to 4 ms
// while they hardly fill, and always at least twenty times as long as the last
// drain took, so that it costs at most about a twentieth of a CPU unless
// records would be lost otherwise.  It never spins: a reader that polls the
// head words makes exactly the cache traffic that is to be measured.
#pragma once

#include "event_feed.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace snapscope {

// How long to sleep after a drain; pure.
[[nodiscard]] std::chrono::microseconds next_pause(std::chrono::microseconds last_pause,
                                                   std::chrono::microseconds drain_took, double fullest);

class EventPump {
  public:
    explicit EventPump(EventTraceWriter trace) : trace_(std::move(trace)) {}
    EventPump(const EventPump&) = delete;
    EventPump& operator=(const EventPump&) = delete;
    EventPump(EventPump&&) = delete;
    EventPump& operator=(EventPump&&) = delete;
    ~EventPump();

    // Drains FEEDS from now on.
    void start(std::vector<EventFeed*> feeds);
    // Closes every feed; others may be started then.
    void release();
    // Does that, and finishes the trace; the first error of the whole recording, if
    // there was one.
    Status stop();
    // An error has ended the writing (a full disk); the feeds only lose now.
    [[nodiscard]] bool broken() const;

  private:
    void run(const std::stop_token& stopping);
    void note(const Status& step);

    EventTraceWriter trace_;
    std::vector<EventFeed*> feeds_;
    mutable std::mutex mutex_;
    Status status_;
    std::jthread thread_;
};

} // namespace snapscope
