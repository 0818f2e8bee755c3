// Records a run: finds the server, attaches the sources, writes NAME.snap/.
// Used by the verb `record`.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/collector/target.hpp>
#include <snapscope/recording/run.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

struct RecordOptions {
    TargetSpec target;
    std::optional<double> duration_s; // none: until interrupted or the load ends
    std::filesystem::path output;     // ends in .snap
    std::vector<std::string> sources; // empty: every one that is available
    std::chrono::milliseconds interval{1000};
    bool events = false;
    bool yes = false;   // probes may also fire in other clusters that run the same binary
    bool force = false; // an existing run at `output` is replaced
    std::optional<Pairing> pairing;
    std::vector<std::string> load; // a command and its arguments; empty for none
    std::string tool_version;
};

struct RecordProgress {
    double elapsed_s = 0;
    std::optional<double> snapshots_per_s; // over the last interval
};

struct RecordOutcome {
    std::filesystem::path folder;
    Run run;
    bool partial = false;    // a requested source was missing, records were lost, or the server ended
    std::string load_output; // what the load printed
};

// "snapscope-20250131-235959.snap"
[[nodiscard]] std::string default_run_name();

// Every name that --source knows.
[[nodiscard]] const std::vector<std::string>& source_names();

// Blocks until the duration is over, the load or the server has ended, or
// `stop` is true; signals wake it.  An output that cannot be written fails
// before anything is attached.
[[nodiscard]] Result<RecordOutcome> record(const RecordOptions& options, const std::atomic<bool>& stop,
                                           const std::function<void(const RecordProgress&)>& progress);

} // namespace snapscope
