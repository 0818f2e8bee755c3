// Runs what is left of a sweep.  Used by the verb `sweep`.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/sweep/bench_server.hpp>
#include <snapscope/sweep/plan.hpp>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

struct SweepOptions {
    SweepSpec spec;
    std::filesystem::path folder; // NAME.sweep
    bool resume = false;          // goes on with the plan that is there
    bool retry_failed = false;    // with resume: points that failed, too
    std::vector<std::string> load;
    std::filesystem::path snapscope;         // records a point
    std::vector<std::string> record_options; // e.g. {"--source", "ring,sql"}
    // The server of a point whose variable `server` has this value (empty: has none).
    std::function<Result<std::unique_ptr<BenchServer>>(const std::string& server)> make_server;
    std::string tool_version;
};

struct SweepProgress {
    const SweepPoint& point; // that begins, or that has just ended
    std::size_t ended = 0;   // points done or failed, of
    std::size_t all = 0;
    std::optional<double> remaining_s; // by the mean of those that this process ran; none before the first
    std::optional<double> tps;         // of a point that has just been done
};

struct SweepOutcome {
    SweepFile sweep;
    bool interrupted = false;
};

// The load of a point: pgbench hears its clients, and prints its progress once
// a second, where the load does not say so itself; another load is left as it is.
[[nodiscard]] std::vector<std::string> load_of(const std::vector<std::string>& load, const std::string& x,
                                               const SweepPoint& point);

// How many connections a point holds idle: its variable `idle` as a number, or
// `fill`: all that max_connections leaves beside the load's clients, those kept
// for superusers, and a few for the recording.  Nullopt for a point without.
// Fails where `fill` cannot be worked out.
[[nodiscard]] Result<std::optional<std::size_t>> idle_of(const std::vector<std::string>& load, const std::string& x,
                                                         const SweepPoint& point);

// Where the sweep stands: a new one, or the one to resume; the folder's fault
// and a plan that differs fail here, before any server starts.
[[nodiscard]] Result<SweepFile> open_sweep(const SweepOptions& options);

// Runs the points that are left; a point that fails says why and the next one
// follows.  Fails only where the folder cannot be written.
[[nodiscard]] Result<SweepOutcome> run_sweep(const SweepOptions& options, const std::atomic<bool>& stop,
                                             const std::function<void(const SweepProgress&)>& tell);

} // namespace snapscope
