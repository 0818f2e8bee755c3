// The windows of a run as counter events.
#pragma once

#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

// Rates per second, stamped at the start of their window, in the order of
// time: tps; snapshots/s by outcome; transfers/s of every source that has
// them, with the kind of evidence in the name.  A window that cannot tell is
// skipped.  At most a few hundred tracks.
class TraceCounters {
  public:
    TraceCounters(const Run& run, std::uint32_t process, std::int64_t epoch_ns);

    // The time of the next window, ns since the epoch.
    [[nodiscard]] std::optional<std::int64_t> next() const;
    // Its events; moves on.
    [[nodiscard]] std::vector<std::string> take();

  private:
    struct Track {
        std::string key;
        std::vector<const Series*> sum; // added up; all must know their value
    };
    struct Counter {
        std::string name;
        std::vector<Track> tracks;
    };
    void add_counter(std::string name, const std::vector<std::pair<std::string, std::vector<const Series*>>>& tracks);

    const Run& run_;
    std::uint32_t process_;
    std::int64_t epoch_ns_;
    std::vector<std::size_t> order_; // windows by start
    std::size_t at_ = 0;
    std::vector<Counter> counters_;
};

} // namespace snapscope
