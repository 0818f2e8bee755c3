// One run: a server, its tables, the clients, and the checks at the end.
#pragma once

#include "options.hpp"

#include <snapscope/base/result.hpp>

namespace snapscope::torture {

// Prints faults as they are found, and a summary.  True: no fault.  An Error:
// the run could not be made.
[[nodiscard]] Result<bool> run(const Options& options);

} // namespace snapscope::torture
