// Counters of servers for Prometheus: what `serve` answers on /metrics, and a
// recorded run for backfill.  Names follow Prometheus's rules: counters end in
// _total, units are seconds and bytes; labels hold words of docs/contracts.md,
// and which server, so that their number is bounded (dashboards/README.md).
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace snapscope {

struct ExposedServer {
    std::string name;                  // the label `server`
    std::shared_ptr<const Run> totals; // sums so far, and one window for gauges; null: it is away
};

// Of the serving program itself.
struct ExposedSelf {
    std::uint64_t clients = 0, missed_windows = 0;
    std::uint64_t resident_bytes = 0;
    double cpu_seconds = 0;
};

// The text format, 0.0.4.
[[nodiscard]] std::string prometheus_text(const std::vector<ExposedServer>& servers, const ExposedSelf& self);

// Every window of the run with its time, ended by "# EOF".  Fails where the
// run's start is no time.
[[nodiscard]] Result<std::string> openmetrics_text(const Run& run);

} // namespace snapscope
