// Differences of the per-slot counters (probes/abi.h) over time, with the
// server's crash restarts seen and survived.  Pure: it is fed with copies.
#pragma once

#include <snapscope/probes/abi.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace snapscope {

// Plain sums over slots; the fields are those of struct snapscope_counters.
struct CounterSums {
    std::uint64_t taken = 0, reused = 0, rebuilt = 0, private_scans = 0, waited = 0;
    std::uint64_t horizon_refreshes = 0, lines_scanned = 0, xids_assigned = 0;
    std::uint64_t xacts_with_xid = 0, xacts_without_xid = 0;
    std::array<std::uint64_t, SNAPSCOPE_REASON_COUNT> invalidations{};
    std::uint64_t events_written = 0, events_lost = 0;
    std::uint64_t lockfree = 0, kept = 0, retries = 0, spins = 0, gave_up = 0;

    CounterSums& operator+=(const CounterSums& other);
    friend bool operator==(const CounterSums&, const CounterSums&) = default;
};

class CounterTable {
  public:
    // The first call to advance() is the baseline.
    explicit CounterTable(std::uint32_t slots) : last_(slots), total_(slots) {}

    // Takes the present counters of every slot and returns what was added
    // since the last call.  A counter that went back started again from 0
    // (crash restart): what it holds now was added, and restarted() is true.
    CounterSums advance(std::span<const snapscope_counters> now);

    [[nodiscard]] bool restarted() const { return restarted_; }
    // Since the baseline.
    [[nodiscard]] const CounterSums& total(std::uint32_t slot) const { return total_[slot]; }
    [[nodiscard]] CounterSums total() const;
    // As of the last call.
    [[nodiscard]] const snapscope_counters& last(std::uint32_t slot) const { return last_[slot]; }

  private:
    std::vector<snapscope_counters> last_;
    std::vector<CounterSums> total_;
    bool have_baseline_ = false;
    bool restarted_ = false;
};

} // namespace snapscope
