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
    std::optional<std::chrono::nanoseconds> duration; // none: until interrupted or the load ends
    std::filesystem::path output;                     // ends in .snap
    std::vector<std::string> sources;                 // empty: every one that is available
    std::chrono::milliseconds interval{1000};
    bool events = false;
    double overhead = 0.02;  // share of the server's CPU time that each source's traps may take
    bool yes = false;        // probes may also fire in other clusters that run the same binary
    bool force = false;      // an existing run at `output` is replaced
    double mirror_hz = 1000; // looks at the proc array a second, as far as its budget reaches
    bool map = false;        // the mirror may map the server's shared memory
    std::string watch;       // words for the source `watch`, which then takes part; empty: its own choice
    // How long a server that has ended may take to come back; after a crash of one
    // of its processes it may take as long as its postmaster lives.
    std::chrono::seconds return_limit{0};
    std::optional<Pairing> pairing;
    std::vector<std::string> load; // a command and its arguments; empty for none
    // Called with the group of the load's processes, and with 0 once they have ended.
    std::function<void(pid_t)> on_load;
    // Called with what there is to know before sources are attached.
    std::function<void(const std::string&)> note;
    std::string tool_version;
};

struct RecordProgress {
    double elapsed_s = 0;
    std::optional<double> snapshots_per_s; // over the last interval
};

struct RecordOutcome {
    std::filesystem::path folder;
    Run run;
    bool partial = false;                 // something requested was missing, records were lost, or the server ended
    bool load_failed = false;             // by itself: neither cut short by the recording nor because the server ended
    std::string load_output, load_errors; // what the load printed on stdout and stderr
};

// "snapscope-20250131-235959.snap"
[[nodiscard]] std::string default_run_name();

// Every name that --source knows.
[[nodiscard]] const std::vector<std::string>& source_names();

// Options that make no sense, whatever host and server: class usage.
[[nodiscard]] Status check_record(const RecordOptions& options);

// Blocks until the duration is over, the load has ended, the server has ended and
// does not come back, or `stop` is true; signals wake it.  A server that comes
// back is recorded on, and what lies between is a gap of the run.  What is observed ends there, too: sources
// are detached and the load is ended after they have been read.  Options that
// make no sense (class usage) fail first, then a server that is not there, then
// an output that cannot be written; nothing is attached before.
[[nodiscard]] Result<RecordOutcome> record(const RecordOptions& options, const std::atomic<bool>& stop,
                                           const std::function<void(const RecordProgress&)>& progress);

} // namespace snapscope
