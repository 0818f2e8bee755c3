// Stamps of the rings (probes/abi.h, enum snapscope_clock) into CLOCK_MONOTONIC.
//
// The conversion is a chain of straight pieces, each continuous with the last:
// a new calibration never makes time jump, it bends the line so that it meets
// the clock again one calibration later.
#pragma once

#include <snapscope/base/result.hpp>

#include <cstdint>

namespace snapscope {

// A stamp and the clock read at the same moment, give or take `width_ns`.
struct TickSample {
    std::uint64_t ticks = 0;
    std::int64_t ns = 0;
    std::int64_t width_ns = 0;
};

class TickConversion {
  public:
    // Two samples some milliseconds apart.
    static Result<TickConversion> from(const TickSample& first, const TickSample& second);

    // A later sample; one that is not later than the last is ignored.
    void refine(const TickSample& sample);

    [[nodiscard]] std::int64_t to_ns(std::uint64_t ticks) const;
    [[nodiscard]] double duration_ns(std::uint64_t ticks) const { return static_cast<double>(ticks) * ns_per_tick_; }
    [[nodiscard]] double ticks_per_ns() const { return 1.0 / ns_per_tick_; }
    // Largest difference between the line and a sample, plus that sample's width.
    [[nodiscard]] double worst_residual_ns() const { return worst_residual_ns_; }

  private:
    struct Piece {
        std::uint64_t ticks = 0; // valid from here on
        double ns = 0;           // since first_.ns, there
        double slope = 0;
        [[nodiscard]] double at(std::uint64_t stamp) const {
            return ns + slope * static_cast<double>(static_cast<std::int64_t>(stamp - ticks));
        }
    };

    TickSample first_;
    TickSample last_;
    Piece previous_, current_;
    double ns_per_tick_ = 1; // over the whole recording so far
    double worst_residual_ns_ = 0;
};

// This process's reading of a ring clock (enum snapscope_clock).
[[nodiscard]] std::uint64_t read_ticks(std::uint32_t clock);
// The narrowest of several bracketed readings.
[[nodiscard]] TickSample sample_ticks(std::uint32_t clock);

} // namespace snapscope
