// What the clients of one run share: the faults found, what was counted, and
// what every statement has to see.
#pragma once

#include "history.hpp"
#include "options.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace snapscope::torture {

constexpr int accounts = 100;
constexpr int first_balance = 1000;
constexpr int counters = 6;
constexpr int appends_per_list = 40;
constexpr int open_lists = 8; // appended to at a time

[[nodiscard]] std::int64_t now_ns();

// The first fault ends the run.
class Faults {
  public:
    // Before the clients start: times count from here.
    void start_clock() { begin_ = now_ns(); }
    // Prints it at once, the first twenty.
    void report(const std::string& kind, const std::string& text);
    [[nodiscard]] bool any() const { return count_ > 0; }
    [[nodiscard]] std::size_t count() const { return count_; }

  private:
    std::int64_t begin_ = now_ns();
    std::mutex mutex_;
    std::atomic<std::size_t> count_ = 0;
};

// Monotone counters.  Whoever learns a value, by a reply to its commit or by
// reading it, raises the minimum; a statement that starts later sees as much.
class Minima {
  public:
    [[nodiscard]] std::int64_t of(int counter) const { return values_[std::size_t(counter)]; }
    void raise(int counter, std::int64_t value) {
        auto& minimum = values_[std::size_t(counter)];
        auto known = minimum.load();
        while (known < value && !minimum.compare_exchange_weak(known, value)) {
        }
    }

  private:
    std::array<std::atomic<std::int64_t>, counters> values_{};
};

struct Counts {
    using Count = std::atomic<std::uint64_t>;
    Count committed = 0;
    Count serialization_failures = 0;
    Count deadlocks = 0;
    Count undone = 0; // rolled back by the script itself
    Count unknown = 0;
    Count sums = 0;
    Count counters = 0;
    Count lists = 0;
    Count prepared = 0;
    Count overflowed = 0;
    Count long_readers = 0;
    Count shared_snapshots = 0;
    Count connections = 0;
    Count lost_connections = 0;
    Count vacuums = 0;
    Count kills = 0;
};

class World {
  public:
    World(const Options& asked, std::string conninfo, int lists)
        : options(asked), conninfos_{std::move(conninfo), {}}, lists_(lists), pids_(std::size_t(asked.clients)) {}

    const Options& options;
    Faults faults;
    Counts counts;
    Minima minima;
    Minima standby_minima;

    // The server that clients connect to; it moves at most once.
    [[nodiscard]] const std::string& conninfo() const { return conninfos_[moved_ ? 1 : 0]; }
    void move_to(const std::string& conninfo) {
        conninfos_[1] = conninfo;
        moved_ = true;
    }
    [[nodiscard]] bool connections_may_be_lost() const { return options.kill || options.promote; }
    [[nodiscard]] bool stopping() const { return stop_ || faults.any(); }
    void stop() { stop_ = true; }

    // Lists that are appended to now: a window that moves on as they grow.
    [[nodiscard]] Key first_open_list() const;
    [[nodiscard]] Value new_value() { return next_value_++; }

    // In a lull only a few clients act: what one forgets to invalidate is then not
    // invalidated by all the others, and horizons move on at once.
    struct Lull {
        int first = 0;
        int actors = 0; // 0: everybody
    };
    std::atomic<Lull> lull = Lull{};
    [[nodiscard]] bool may_act(int client) const {
        const Lull now = lull;
        return now.actors == 0 || (client - now.first + options.clients) % options.clients < now.actors;
    }
    // Whether transactions are short: a long one pins every horizon.
    std::atomic<bool> brief = false;
    std::atomic<bool> long_readers = false;

    // The backends of the clients; 0: none.
    std::atomic<int>& pid_of(int client) { return pids_[std::size_t(client)]; }

  private:
    std::array<std::string, 2> conninfos_;
    std::atomic<bool> moved_ = false;
    int lists_;
    std::atomic<Value> next_value_ = 1;
    std::atomic<bool> stop_ = false;
    std::vector<std::atomic<int>> pids_;
};

} // namespace snapscope::torture
