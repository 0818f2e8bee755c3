// pgbench: what it printed, as a Workload, and running it under a time limit.
// Used by `record -- LOAD`, `import pgbench`, the demo and the benchmarks.
//
// All wordings from 8.x to 17 are read.  pgbench must speak English for that:
// run it with LC_ALL=C, as run_pgbench does.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/lab/process.hpp>
#include <snapscope/recording/run.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

// What pgbench printed (stdout and stderr together, in any order of the two),
// with the command line and the exit status that belong to it; `argv` may be
// empty when they are not known.
//
// tps excludes the time for connecting, unless every transaction connected
// anew (-C): then the figure that excludes it is meaningless, `reconnect` is
// set and tps is the including one.  A run that failed is a value, too: `valid`
// is false and `notes` say why.  Lines that are not understood are kept in
// `notes`.  An Error is: a known line whose number cannot be read, or an
// output that says it succeeded and has no line of pgbench's.
[[nodiscard]] Result<Workload> parse_pgbench(std::string_view output, std::vector<std::string> argv, int exit_status);

// Whether these arguments of pgbench make it connect for each transaction (-C).
[[nodiscard]] bool pgbench_reconnects(const std::vector<std::string>& argv);

// Runs pgbench (command.argv[0] and its arguments, no shell) to its end and
// reads what it printed.  After `limit` it is stopped: the workload is invalid
// and says so.  Fails only when it could not be started or read.
[[nodiscard]] Result<Workload> run_pgbench(Command command, std::chrono::milliseconds limit);

} // namespace snapscope
