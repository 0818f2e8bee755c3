// What `analyze` looks at: one run a server start, at some value of x, of some
// group; from a table or from a sweep folder.  Pure but for load_sweep.
#pragma once

#include <snapscope/analyzer/measurements.hpp>
#include <snapscope/base/result.hpp>
#include <snapscope/recording/sweep.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace snapscope {

// A run of the sweep.  It has a tps, or it says why it has none; never 0 tps.
struct SweepRun {
    std::string label; // FILE:LINE, or the run's folder
    double x = 0;
    // What tells one curve from another, in the table's order: mode, series, ...
    std::vector<std::pair<std::string, std::string>> keys;
    std::optional<std::uint32_t> repeat, order; // order: its place in time, where known
    std::optional<double> tps;
    std::string failure; // why there is no tps
    std::map<std::string, double> metrics;
};

struct Sweep {
    std::string x; // max_connections or clients
    std::vector<SweepRun> runs;
    std::map<std::string, std::string> kinds; // metric -> kind of evidence; "table" for a column
    bool partial = false;                     // planned points are missing, or a run is unfinished
    std::vector<std::string> warnings;
};

// The keys as "mode off, series s1000"; empty for none.
[[nodiscard]] std::string group_name(const std::vector<std::pair<std::string, std::string>>& keys);
// The value of key NAME, or empty.
[[nodiscard]] std::string key_of(const SweepRun& run, std::string_view name);

// A table: x is its first column max_connections or clients that varies (or the
// only one).  Columns left of x describe a row and become keys, as do mode,
// series, variant, reconnect and columns of words; repeat (run, round) numbers
// the repeats.  tps is the column tps; of tps_including... and tps_excluding...
// the one that means something, as pgbench's; other columns tps_NAME are
// curves of their own (key variant).  Further columns of numbers are metrics.
//
// Strict: what cannot be read is an error that names line and column (a
// localised number), or a failed run with its reason (a tps that is blank, nan,
// 0, negative or a word; a column reason, error or failure says more), or a
// missing metric with a warning.  Nothing becomes 0.
[[nodiscard]] Result<Sweep> sweep_from_csv(std::string_view text, const std::string& label);

// A sweep folder (sweep.json), or a CSV file.  A run that cannot be read is a
// failed run with the reader's reason.
[[nodiscard]] Result<Sweep> load_sweep(const std::filesystem::path& path);

} // namespace snapscope
