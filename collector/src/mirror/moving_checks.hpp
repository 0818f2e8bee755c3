// Checks of what changes while it is looked at: backends come and go, xids are
// given out.  Each may have to be run more than once (Check::of_moving_parts).
#pragma once

#include "anatomy_checks.hpp"

namespace snapscope::mirror {

// Pids of the roster are children of the postmaster.
[[nodiscard]] Status roster_children(Examination& e);
// 14+: the dense arrays and the entries of PGPROC point at each other and agree.
[[nodiscard]] Status dense_links(Examination& e);
// 13: no entry of PGXACT holds what it cannot.
[[nodiscard]] Status pgxact_words(Examination& e);
// Counters and limits of xids stand to each other as they must.
[[nodiscard]] Status xid_limits(Examination& e);

} // namespace snapscope::mirror
