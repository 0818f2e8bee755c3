// What a stream of events says in numbers: snapshots by outcome, and how long
// they took, from pairs of start and done.  Pure.
#pragma once

#include <snapscope/collector/log_histogram.hpp>
#include <snapscope/probes/abi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace snapscope {

inline constexpr std::size_t outcome_count = SNAPSCOPE_OUTCOME_PRIVATE_SCAN + 1;
// "reused", "rebuilt", "private_scan"
[[nodiscard]] const char* outcome_label(std::size_t outcome);

// duration histograms by outcome, and all together, as docs/contracts.md names them
[[nodiscard]] std::vector<Histogram> duration_histograms(const std::array<LogHistogram, outcome_count>& by_outcome,
                                                         const char* source);

class EventTally {
  public:
    explicit EventTally(std::uint32_t slots) : started_(slots) {}

    // TIME_NS is unclamped: a pair that runs backwards counts as 0 ns.
    void add(std::uint32_t slot, const snapscope_record& record, std::int64_t time_ns);
    // Events of SLOT are missing here: no pair may reach across.
    void gap(std::uint32_t slot) { started_[slot].reset(); }

    [[nodiscard]] std::uint64_t events() const { return events_; }
    [[nodiscard]] std::uint64_t of_type(std::uint8_t type) const { return types_[type]; }
    [[nodiscard]] std::uint64_t snapshots(std::size_t outcome) const { return outcomes_[outcome]; }
    [[nodiscard]] const std::array<LogHistogram, outcome_count>& durations() const { return durations_; }

  private:
    std::vector<std::optional<std::int64_t>> started_;
    std::array<std::uint64_t, SNAPSCOPE_EV_COUNT> types_{};
    std::array<std::uint64_t, outcome_count> outcomes_{};
    std::array<LogHistogram, outcome_count> durations_;
    std::uint64_t events_ = 0;
};

} // namespace snapscope
