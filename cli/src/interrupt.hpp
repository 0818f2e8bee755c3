// Ctrl-C and SIGTERM: the first asks the running verb to end well, a second
// Ctrl-C ends the process at once with 130.
#pragma once

#include <atomic>
#include <string_view>

namespace snapscope::cli {

// Installs the handlers; called once by main.
void catch_interrupts();

// True from the first signal on.  Verbs with loops look at it.
[[nodiscard]] const std::atomic<bool>& interrupt_requested();

// The one unfinished file that a hard end removes; empty for none.  Paths
// longer than PATH_MAX are left to the file's owner.
void remove_on_second_interrupt(std::string_view path);

} // namespace snapscope::cli
