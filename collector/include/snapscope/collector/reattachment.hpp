// Attaching to a server again after it has ended, for views that go on.
#pragma once

#include <snapscope/collector/session.hpp>

#include <chrono>

namespace snapscope {

class Reattachment {
  public:
    using Clock = std::chrono::steady_clock;

    // A session of OPTIONS is open: its server is the one to stay with, and its
    // sources are what may be waited for.
    void attached(SessionOptions& options, const SessionInfo& info);
    // There is none now; the next attempt is due after a while.
    void postpone();
    [[nodiscard]] Clock::time_point due() const { return due_; }
    // A session, or why there is none yet.  A server that starts up takes no
    // login: all the sources that it gave before are waited for, for some attempts.
    [[nodiscard]] Result<Session> attempt(const SessionOptions& options);

  private:
    Clock::time_point due_;
    std::size_t most_sources_ = 0;
    int attempts_ = 0; // since it came back
};

} // namespace snapscope
