// Keeps the rings' lease alive from a thread of its own, so that a slow disk
// under the drain thread costs records (which are counted), not silence.
#pragma once

#include <snapscope/collector/memory_file.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace snapscope {

class LeaseKeeper {
  public:
    // Writes the first lease, enables the rings and starts renewing.  FILE
    // must have become_consumer() done and must outlive the keeper.
    explicit LeaseKeeper(const MemoryFile& file, double ticks_per_ns);
    LeaseKeeper(const LeaseKeeper&) = delete;
    LeaseKeeper& operator=(const LeaseKeeper&) = delete;
    LeaseKeeper(LeaseKeeper&&) = delete;
    LeaseKeeper& operator=(LeaseKeeper&&) = delete;
    ~LeaseKeeper() { stop(); }

    // Turns the rings off.
    void stop();
    // How often this thread came too late and the rings paused.
    [[nodiscard]] std::uint64_t lapses() const { return lapses_.load(); }

  private:
    void renew();
    void run(const std::stop_token& stopping);

    const MemoryFile& file_;
    std::uint64_t lease_ticks_;
    std::uint64_t until_ = 0;
    std::atomic<std::uint64_t> lapses_{0};
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::jthread thread_;
};

} // namespace snapscope
