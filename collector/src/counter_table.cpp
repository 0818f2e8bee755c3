#include <snapscope/collector/counter_table.hpp>

namespace snapscope {
namespace {

CounterSums sums_of(const snapscope_counters& c) {
    CounterSums sums;
    sums.taken = c.taken;
    sums.reused = c.reused;
    sums.rebuilt = c.rebuilt;
    sums.private_scans = c.private_scans;
    sums.waited = c.waited;
    sums.horizon_refreshes = c.horizon_refreshes;
    sums.lines_scanned = c.lines_scanned;
    sums.xids_assigned = c.xids_assigned;
    sums.xacts_with_xid = c.xacts_with_xid;
    sums.xacts_without_xid = c.xacts_without_xid;
    for (std::size_t reason = 0; reason < sums.invalidations.size(); ++reason)
        sums.invalidations[reason] = c.invalidations[reason];
    sums.events_written = c.events_written;
    sums.events_lost = c.events_lost;
    sums.lockfree = c.lockfree;
    sums.kept = c.kept;
    sums.retries = c.retries;
    sums.spins = c.spins;
    sums.gave_up = c.gave_up;
    return sums;
}

// Applies OP to each pair of fields.
template <typename Op> void for_each_field(CounterSums& left, const CounterSums& right, Op op) {
    op(left.taken, right.taken);
    op(left.reused, right.reused);
    op(left.rebuilt, right.rebuilt);
    op(left.private_scans, right.private_scans);
    op(left.waited, right.waited);
    op(left.horizon_refreshes, right.horizon_refreshes);
    op(left.lines_scanned, right.lines_scanned);
    op(left.xids_assigned, right.xids_assigned);
    op(left.xacts_with_xid, right.xacts_with_xid);
    op(left.xacts_without_xid, right.xacts_without_xid);
    for (std::size_t reason = 0; reason < left.invalidations.size(); ++reason)
        op(left.invalidations[reason], right.invalidations[reason]);
    op(left.events_written, right.events_written);
    op(left.events_lost, right.events_lost);
    op(left.lockfree, right.lockfree);
    op(left.kept, right.kept);
    op(left.retries, right.retries);
    op(left.spins, right.spins);
    op(left.gave_up, right.gave_up);
}

} // namespace

CounterSums& CounterSums::operator+=(const CounterSums& other) {
    for_each_field(*this, other, [](std::uint64_t& sum, std::uint64_t more) { sum += more; });
    return *this;
}

CounterSums CounterTable::advance(std::span<const snapscope_counters> now) {
    CounterSums added;
    restarted_ = false;
    for (std::size_t slot = 0; slot < last_.size() && slot < now.size(); ++slot) {
        if (have_baseline_) {
            CounterSums difference = sums_of(now[slot]);
            bool went_back = false;
            for_each_field(difference, sums_of(last_[slot]),
                           [&](std::uint64_t& value, std::uint64_t before) { went_back |= value < before; });
            if (!went_back)
                for_each_field(difference, sums_of(last_[slot]),
                               [](std::uint64_t& value, std::uint64_t before) { value -= before; });
            restarted_ |= went_back;
            total_[slot] += difference;
            added += difference;
        }
        last_[slot] = now[slot];
    }
    have_baseline_ = true;
    return added;
}

CounterSums CounterTable::total() const {
    CounterSums sum;
    for (const auto& slot : total_)
        sum += slot;
    return sum;
}

} // namespace snapscope
