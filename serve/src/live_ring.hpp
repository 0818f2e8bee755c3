// The last minutes of one server, window by window, bounded in time, number and
// bytes.  Windows are shared and never change, so that whoever shows them takes
// a copy of the list and lets the collector go on.
#pragma once

#include <snapscope/collector/session.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace snapscope {

// From attaching to the server until it ended.
struct LiveSession {
    SessionInfo info;
    std::int64_t start_ns = 0;       // CLOCK_MONOTONIC
    std::int64_t wall_offset_ns = 0; // wall clock minus CLOCK_MONOTONIC, at the start
};

struct LiveWindow {
    std::uint64_t seq = 0; // of this server, from 1; a lost session leaves no hole
    std::shared_ptr<const LiveSession> session;
    WindowRow row;
    Run look; // histograms and slots since the session began
    std::vector<SourceStatus> sources;
};
using WindowPtr = std::shared_ptr<const LiveWindow>;
using WindowList = std::vector<WindowPtr>; // oldest first

// About what a window takes in memory.
[[nodiscard]] std::size_t bytes_of(const LiveWindow& window);

struct RingLimits {
    std::int64_t keep_ns = 300'000'000'000;
    std::size_t windows = 3600; // fewer than a chart draws as they are
    std::size_t bytes = std::size_t{64} << 20U;
};

class LiveRing {
  public:
    explicit LiveRing(RingLimits limits) : limits_(limits) {}
    // The oldest go until the limits hold; two always stay: the newest, and where it began.
    void push(WindowPtr window);
    [[nodiscard]] WindowList windows() const { return {windows_.begin(), windows_.end()}; }
    [[nodiscard]] std::uint64_t oldest_seq() const { return windows_.empty() ? 0 : windows_.front()->seq; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

  private:
    RingLimits limits_;
    std::deque<WindowPtr> windows_;
    std::size_t bytes_ = 0;
};

} // namespace snapscope
