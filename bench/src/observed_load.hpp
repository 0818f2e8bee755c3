// Server CPU of a transaction while somebody watches: by tool, against nobody.
//
// All rows take turns within a round, in an order that rotates; a row's ratio is
// against "nothing" on the same server in the same round.
#pragma once

#include "load.hpp"
#include "observer.hpp"
#include "report.hpp"

namespace snapscope::bench {

// Every contender has a tool that is nothing, and one that is nothing again: the
// noise floor is of the first contender.
void measure_observed(Report& report, Servers& servers, const std::vector<Tool>& tools, const std::string& name,
                      const Load& load, int rounds);

} // namespace snapscope::bench
