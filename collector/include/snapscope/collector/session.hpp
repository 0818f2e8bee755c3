// A running server with its sources attached, looked at again and again, and
// nothing written.  Used by live views (`top`, `serve`); a recording writes the same
// samples into a run (record.hpp).
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/collector/target.hpp>
#include <snapscope/recording/run.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

struct SessionOptions {
    TargetSpec target;
    std::vector<std::string> sources;
    bool events = false; // also times snapshots, from the rings' events
    bool yes = false;    // probes may also fire in other clusters that run the same binary
};

// Names and places of what sample() gives; constant for a session.
struct SessionInfo {
    Postmaster postmaster;
    Server server;
    Host host;                         // without CPUs where the topology cannot be read
    Layout layout;                     // of a patched server
    std::vector<Series> series;        // without values; values[i] of a sample is series[i]'s
    std::vector<std::string> attached; // the sources that take part
};

struct SessionSample {
    std::int64_t start_ns = 0, end_ns = 0;     // CLOCK_MONOTONIC; sums run from start to end
    std::vector<std::optional<double>> values; // docs/contracts.md
    Run look;                                  // histograms and slots since the session began
    std::vector<SourceStatus> sources;         // also those that are unavailable
};

// All but the probes, which trap in each snapshot: those only where they are asked for.
[[nodiscard]] const std::vector<std::string>& sources_without_probes();

// After a restart the postmaster is another process; the data folder is the same.
void stay_with(SessionOptions& options, const Postmaster& postmaster);

// Options that make no sense, whatever host and server: class usage.
[[nodiscard]] Status check_session(const SessionOptions& options);

class Session {
  public:
    // Finds the server, attaches and starts the sources.  Not thread-safe.
    static Result<Session> open(const SessionOptions& options);
    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    // Detaches everything.
    ~Session();

    [[nodiscard]] const SessionInfo& info() const;
    [[nodiscard]] SessionSample sample();
    // Empties the buffers of events, and says how soon to come again; a long
    // time where there are none.
    [[nodiscard]] Result<std::chrono::microseconds> drain();
    [[nodiscard]] bool ended() const;
    // Readable in poll() once the server has ended.
    [[nodiscard]] int server_fd() const;

  private:
    struct State;
    explicit Session(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace snapscope
