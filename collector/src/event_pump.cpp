#include "event_pump.hpp"

#include <algorithm>

namespace snapscope {
namespace {

using std::chrono::microseconds;

constexpr microseconds shortest_pause{1000};
constexpr microseconds longest_pause{4000};
constexpr microseconds longest_costly_pause{16000}; // for servers with very many slots
constexpr double nearly_empty = 0.05;
constexpr double filling = 0.2;
constexpr int pause_per_drain = 20;

} // namespace

microseconds next_pause(microseconds last_pause, microseconds drain_took, double fullest) {
    if (fullest >= filling)
        return shortest_pause;
    const microseconds wanted = fullest < nearly_empty ? last_pause * 3 / 2 : last_pause;
    return std::max(std::clamp(wanted, shortest_pause, longest_pause),
                    std::min(drain_took * pause_per_drain, longest_costly_pause));
}

EventPump::~EventPump() {
    if (thread_.joinable())
        static_cast<void>(stop());
}

void EventPump::start(std::vector<EventFeed*> feeds) {
    feeds_ = std::move(feeds);
    thread_ = std::jthread([this](const std::stop_token& stopping) { run(stopping); });
}

void EventPump::run(const std::stop_token& stopping) {
    microseconds pause = shortest_pause;
    while (!stopping.stop_requested()) {
        const auto before = std::chrono::steady_clock::now();
        double fullest = 0;
        for (EventFeed* feed : feeds_) {
            const auto drained = feed->drain(trace_);
            if (!drained) {
                const std::lock_guard lock(mutex_);
                status_ = fail(drained.error());
                return;
            }
            fullest = std::max(fullest, drained->fullest);
        }
        const auto took = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - before);
        pause = next_pause(pause, took, fullest);
        std::this_thread::sleep_for(pause);
    }
}

bool EventPump::broken() const {
    const std::lock_guard lock(mutex_);
    return !status_;
}

void EventPump::note(const Status& step) {
    const std::lock_guard lock(mutex_);
    if (status_ && !step)
        status_ = step;
}

void EventPump::release() {
    thread_.request_stop();
    if (thread_.joinable())
        thread_.join();
    for (EventFeed* feed : feeds_)
        note(feed->close(trace_));
    feeds_.clear();
    trace_.count_anew();
}

Status EventPump::stop() {
    release();
    note(trace_.finish());
    return status_;
}

} // namespace snapscope
