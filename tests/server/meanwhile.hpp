// A recording around what a test does itself.
#pragma once

#include "session.hpp"

#include <functional>

namespace snapscope::test {

// Runs `snapscope record` of CLUSTER with OPTIONS, and WORK after its sources have
// begun and before they end.  Its exit status and what it printed; WORK is left out
// where it does not come to record.
[[nodiscard]] ProgramResult record_meanwhile(const Cluster& cluster, const std::string& program,
                                             const std::vector<std::string>& options,
                                             const std::function<void()>& work);

} // namespace snapscope::test
