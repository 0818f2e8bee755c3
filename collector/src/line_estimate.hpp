// How many of N lines had left this core, out of single timed loads of randomly
// chosen ones.  Pure; the timing is LineTimer's (line_timer.hpp).
//
// A share p of the lines had left; a load is slow for p (1 - missed) +
// (1 - p) false of them.  So p = (share slow - false) / (1 - missed - false),
// which is Rogan and Gladen's estimator (1978, Am. J. Epidemiol. 107).
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/core_latency.hpp>

#include <cstdint>

namespace snapscope {

struct TimedLoads {
    std::uint64_t loads = 0, slow = 0;
};

struct LineEstimate {
    double lines = 0;                       // that had left, of all; in [0, N]
    double low = 0, high = 0;               // at least 95 % of such intervals hold the truth
    double share_slow = 0;                  // of the loads, as they were
    double missed_rate = 0, false_rate = 0; // of the threshold, corrected for above
};

// The interval joins the exact (Clopper-Pearson) ones of the loads and of both
// rates of the threshold at their worst corners, each at 1 - 0.05 / 3, so that
// all three hold together in 95 % (Bonferroni).  Fails for no loads, and where
// the threshold hardly tells (missed + false of 0.5 or more).
[[nodiscard]] Result<LineEstimate> estimate_lines(std::uint64_t lines, const TimedLoads& loads,
                                                  const LoadThreshold& threshold);

} // namespace snapscope
