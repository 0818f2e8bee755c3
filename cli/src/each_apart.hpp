// The same work for several servers at once, each in a process of its own: one
// that fails, or is killed, leaves the others alone, and each gives up its rights
// for itself.
#pragma once

#include <functional>
#include <vector>

namespace snapscope::cli {

// Exit codes of all of WORK, which run side by side.  A first signal is passed on,
// and ends each of them well; a Ctrl-C after it ends all at once.  No thread may run.
[[nodiscard]] std::vector<int> run_each_apart(const std::vector<std::function<int()>>& work);

// What one exit code says of several: 0 where all are done, 3 where some are, or in part.
[[nodiscard]] int exit_of_all(const std::vector<int>& codes);

} // namespace snapscope::cli
