// How a metric moved over the dates of a host's runs, and where its level changed.
#pragma once

#include <snapscope/fleet/lake.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

// Over all series of a question together, the chance to report one that has no
// change is at most this (Holm, Scand. J. Stat. 6, 1979).
inline constexpr double trend_alpha = 0.05;

struct TrendOptions {
    std::string metric = "snapshot_ns";
    std::optional<std::string> host, mode;
};

// Runs in a row without a change of level.
struct TrendLevel {
    std::string from, to; // time of its first and last run, UTC
    std::size_t runs = 0;
    double median = 0;
};

struct TrendSeries {
    std::string host, mode, source;
    std::optional<std::string> max_connections, clients;
    double p_value = 1;             // adjusted for the number of series
    std::vector<TrendLevel> levels; // one: no change shown
};

struct Trend {
    std::string metric, unit;
    std::vector<TrendSeries> series; // those with a change first, most surprising first
    std::size_t runs = 0;
    std::size_t too_short = 0; // series with fewer than six runs: not judged
};

[[nodiscard]] Result<Trend> trend(LakeReader& lake, const TrendOptions& options);

} // namespace snapscope
