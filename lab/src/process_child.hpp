// Between fork and exec: nothing here allocates or takes a lock.
#pragma once

#include <snapscope/lab/process.hpp>

namespace snapscope::child {

// Forks and runs the command; `output` and `errors` become stdout and stderr,
// with -1 for both they stay this program's.
// A failure between fork and exec comes back as an Error that names the step.
[[nodiscard]] Result<pid_t> launch(const Command& command, int output, int errors);

} // namespace snapscope::child
