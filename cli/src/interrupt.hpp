// Ctrl-C, SIGTERM and a terminal that goes away: the first signal asks the
// running verb to end well; a Ctrl-C after it ends the process at once with 130.
// Other signals count once only: `timeout` sends SIGTERM twice.
#pragma once

#include <atomic>
#include <string_view>
#include <sys/types.h>

namespace snapscope::cli {

// For verbs that look at it in their loops: true from the first signal on.  The
// others end by their first signal, as programs do.
[[nodiscard]] const std::atomic<bool>& catch_interrupts();

// The one unfinished file that a hard end removes; empty for none.  Paths
// longer than PATH_MAX are left to the file's owner.
void remove_on_second_interrupt(std::string_view path);

// The one process group that a hard end kills; 0 for none.
void kill_on_second_interrupt(pid_t group);

} // namespace snapscope::cli
