// Which series are gauges (docs/contracts.md): what samples of an interval
// found, and not a difference over it.  For whoever sums, rates or exports them.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace snapscope {

[[nodiscard]] constexpr bool is_gauge(std::string_view series) {
    constexpr std::array<std::string_view, 11> gauges{
        "slots_taken",       "slots_with_xid",       "slots_with_xmin",   "slots_waiting_for_lock",
        "oldest_xid_age",    "oldest_xmin_age",      "horizon_age",       "horizon_holder_slot",
        "lock_shared_share", "lock_exclusive_share", "samples_per_second"};
    return std::find(gauges.begin(), gauges.end(), series) != gauges.end();
}

} // namespace snapscope
