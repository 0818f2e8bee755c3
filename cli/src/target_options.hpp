// --pid, --pgdata, --port, --host and --dsn: how every verb that looks at a
// live server is told which one.
#pragma once

#include <snapscope/collector/target.hpp>

#include <CLI/CLI.hpp>

namespace snapscope::cli {

void add_target_options(CLI::App& verb, TargetSpec& target);

} // namespace snapscope::cli
