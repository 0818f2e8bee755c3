// Work that a SIGKILL at this process does not cut short.
//
// The kernel gives up when a process is killed while it sets or removes a uprobe:
// breakpoints then stay in every process that runs the file ("failed to
// unregister, leaking uprobe").  So the work is done by a process of its own,
// which shares memory and descriptors with this one, and is waited for.  Where
// this one is killed meanwhile, the other ends its work, and what it has set goes
// with the last descriptor, when it ends itself.
#pragma once

#include <snapscope/base/result.hpp>

#include <functional>

namespace snapscope {

// WORK must not start threads; it is ended after a minute.
[[nodiscard]] Status run_sheltered(const std::function<void()>& work);

} // namespace snapscope
