// Watches one server on a thread of its own: attaches, empties buffers of events,
// gives a window an interval to the ring, attaches again after a restart.
//
// Readers copy pointers under a lock that the thread holds for as short a time
// to put one in; it waits for nobody.
#pragma once

#include "live_ring.hpp"
#include "recorder.hpp"

#include <snapscope/collector/reattachment.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace snapscope {

struct Mark {
    std::uint64_t seq = 0;
    std::int64_t at_ns = 0; // end of its window
    std::string text;
};

struct RecordingState {
    std::string name;
    std::size_t windows = 0;
    std::string trouble; // what could not be written; empty: nothing
};

// What there is to show of a server now.
struct Watched {
    std::string name;          // "pid 812, port 5432, /srv/pg/data"
    std::string key;           // the same after a restart: the data folder
    std::uint64_t version = 0; // changes with everything here
    std::string trouble;       // why nothing is seen now; empty: all is well
    WindowList windows;
    std::vector<Mark> marks;
    std::optional<RecordingState> recording;
    std::vector<std::string> recorded; // what became of past ones, in words
    std::shared_ptr<const Run> totals; // since the session began; null before its first window
};

class Watcher {
  public:
    struct Options {
        SessionOptions session;
        std::chrono::milliseconds interval{1000};
        RingLimits limits;
        std::optional<std::filesystem::path> record_to;
        std::string tool_version;
        std::function<void(const std::string&)> note;
        std::function<void()> changed; // quick, and never blocks
    };
    // Watches from now on; waits until the server is attached or could not be.
    [[nodiscard]] static Result<std::unique_ptr<Watcher>> start(Options options);
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;
    Watcher(Watcher&&) = delete;
    Watcher& operator=(Watcher&&) = delete;
    ~Watcher();

    [[nodiscard]] Watched look() const;
    [[nodiscard]] std::uint64_t version() const;
    // At the window SEQ, which must be kept.
    [[nodiscard]] Status mark(std::uint64_t seq, const std::string& text);
    // From the window SEQ on; fails where one goes on, or SEQ is not kept.
    [[nodiscard]] Status start_recording(std::uint64_t seq);
    [[nodiscard]] Status stop_recording();

  private:
    explicit Watcher(Options options) : options_(std::move(options)), ring_(options_.limits) {}
    void run(std::promise<Status>& attached);
    void attach(Session session);
    void away(const std::string& why);
    void attach_again();
    void take_sample();
    void add_totals(const LiveWindow& window);
    void act_on_wishes();
    void begin_recording(std::uint64_t seq);
    void record(const WindowPtr& window);
    void end_recording(const std::string& why);
    void end_session();
    void change(const std::function<void()>& what);

    Options options_;
    std::atomic<bool> stop_{false};
    std::thread thread_;

    // Of the thread alone.
    std::optional<Session> session_;
    std::shared_ptr<const LiveSession> live_;
    std::optional<Recorder> recorder_;
    Run totals_;
    Reattachment reattachment_;

    mutable std::mutex lock_; // of all below
    LiveRing ring_;
    Watched now_; // without windows
    std::uint64_t next_seq_ = 1;
    std::optional<std::uint64_t> wish_to_record_;
    bool wish_to_stop_ = false;
};

} // namespace snapscope
