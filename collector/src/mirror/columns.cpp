#include "columns.hpp"

namespace snapscope::mirror {
namespace {

Value ratio(std::uint64_t part, std::uint64_t whole) {
    return whole > 0 ? Value(static_cast<double>(part) / static_cast<double>(whole)) : std::nullopt;
}

Value seen(std::uint32_t value, std::uint64_t looks) {
    return looks > 0 ? Value(value) : std::nullopt;
}

constexpr Column all[] = {
    {"xids_assigned", "1", [](const WindowTally&, const Counters& c, double) { return Value(c.next_xid); }},
    {"xid_ends", "1",
     [](const WindowTally&, const Counters& c, double) {
         return c.completion_count ? Value(*c.completion_count) : std::nullopt;
     }},
    {"latest_completed_advance", "1",
     [](const WindowTally&, const Counters& c, double) { return Value(c.latest_completed_xid); }},
    {"samples", "1", [](const WindowTally& w, const Counters&, double) { return Value(w.samples); }},
    {"samples_per_second", "1/s",
     [](const WindowTally& w, const Counters&, double s) {
         return s > 0 ? Value(static_cast<double>(w.samples) / s) : std::nullopt;
     }},
    {"slots_taken", "1",
     [](const WindowTally& w, const Counters&, double) { return ratio(w.taken, w.roster_samples); }},
    {"slots_with_xid", "1",
     [](const WindowTally& w, const Counters&, double) { return ratio(w.with_xid, w.xid_samples); }},
    {"slots_with_xmin", "1",
     [](const WindowTally& w, const Counters&, double) { return ratio(w.with_xmin, w.xmin_samples); }},
    {"oldest_xid_age", "xids",
     [](const WindowTally& w, const Counters&, double) { return seen(w.xid_age, w.xid_samples); }},
    {"oldest_xmin_age", "xids",
     [](const WindowTally& w, const Counters&, double) { return seen(w.xmin_age, w.xmin_samples); }},
    {"horizon_age", "xids",
     [](const WindowTally& w, const Counters&, double) { return seen(w.horizon_age, w.xmin_samples); }},
    {"horizon_holder_slot", "slot",
     [](const WindowTally& w, const Counters&, double) {
         return w.horizon_slot ? Value(*w.horizon_slot) : std::nullopt;
     }},
    {"lock_exclusive_share", "1",
     [](const WindowTally& w, const Counters&, double) { return ratio(w.lock_exclusive, w.samples); }},
    {"lock_shared_share", "1",
     [](const WindowTally& w, const Counters&, double) { return ratio(w.lock_shared, w.samples); }},
    {"slots_waiting_for_lock", "1",
     [](const WindowTally& w, const Counters&, double) { return ratio(w.waiting, w.proc_samples); }},
};

} // namespace

std::span<const Column> columns() {
    return all;
}

Counters difference(const Counters& now, const Counters& before, bool short_xids) {
    Counters added;
    added.next_xid = now.next_xid - before.next_xid;
    added.latest_completed_xid = now.latest_completed_xid - before.latest_completed_xid;
    if (short_xids)
        added.latest_completed_xid &= 0xffffffffU;
    if (now.completion_count && before.completion_count)
        added.completion_count = *now.completion_count - *before.completion_count;
    return added;
}

} // namespace snapscope::mirror
