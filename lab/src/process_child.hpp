// Between fork and exec: nothing here allocates or takes a lock.
#pragma once

#include <snapscope/lab/process.hpp>

namespace snapscope::child {

// Forks and runs the command; `output` (or -1) becomes stdout and stderr.
// A failure between fork and exec comes back as an Error that names the step.
[[nodiscard]] Result<pid_t> launch(const Command& command, int output);

} // namespace snapscope::child
