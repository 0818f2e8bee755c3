#include "tally.hpp"

#include <algorithm>

namespace snapscope::mirror {

void WindowTally::operator+=(const WindowTally& other) {
    for (const auto member :
         {&WindowTally::samples, &WindowTally::roster_samples, &WindowTally::xid_samples, &WindowTally::xmin_samples,
          &WindowTally::proc_samples, &WindowTally::taken, &WindowTally::with_xid, &WindowTally::with_xmin,
          &WindowTally::waiting, &WindowTally::lock_exclusive, &WindowTally::lock_shared, &WindowTally::torn_roster,
          &WindowTally::torn_counters, &WindowTally::late_ticks, &WindowTally::unreadable})
        this->*member += other.*member;
    for (const auto member : {&WindowTally::xid_age, &WindowTally::xmin_age, &WindowTally::horizon_age})
        this->*member = std::max(this->*member, other.*member);
    if (other.horizon_slot)
        horizon_slot = other.horizon_slot;
}

// The server's own horizon passes over those that vacuum, and over logical
// decoding, whose horizon its replication slot holds.
void Tally::Horizon::consider(std::uint32_t slot_number, std::uint32_t xid, std::uint32_t xmin, std::uint8_t flags,
                              std::uint64_t next_xid) {
    if ((flags & (flag_in_vacuum | flag_in_logical_decoding)) != 0)
        return;
    const std::uint32_t oldest = std::max(age_of(xid, next_xid), age_of(xmin, next_xid));
    const bool holds = xid >= first_normal_xid || xmin >= first_normal_xid;
    if (holds && (!slot || oldest > age)) {
        age = oldest;
        slot = slot_number;
    }
}

void Tally::add_xmin(SlotTally& slot, std::uint32_t xmin, std::uint64_t next_xid) {
    ++slot.xmin_samples;
    if (xmin < first_normal_xid)
        return;
    ++slot.with_xmin;
    ++window_.with_xmin;
    const std::uint32_t age = age_of(xmin, next_xid);
    slot.xmin_age = std::max(slot.xmin_age, age);
    window_.xmin_age = std::max(window_.xmin_age, age);
}

void Tally::add_horizon(const Horizon& horizon) {
    window_.horizon_slot = horizon.slot;
    window_.horizon_age = std::max(window_.horizon_age, horizon.age);
    if (!horizon.slot)
        return;
    SlotTally& holder = slots_[*horizon.slot];
    ++holder.held_horizon;
    holder.horizon_age = std::max(holder.horizon_age, horizon.age);
}

void Tally::add(const DenseSample& sample, bool has_xmin) {
    ++window_.samples;
    window_.lock_exclusive += sample.lock_exclusive ? 1 : 0;
    window_.lock_shared += sample.lock_shared > 0 ? 1 : 0;
    if (sample.torn == Torn::roster)
        return;
    ++window_.roster_samples;
    window_.taken += sample.slots.size();
    const bool xids = sample.torn == Torn::no;
    const std::uint64_t next_xid = sample.counters.next_xid;
    window_.xid_samples += xids ? 1 : 0;
    window_.xmin_samples += xids && has_xmin ? 1 : 0;
    ++look_;
    Horizon horizon;
    for (const DenseSlot& seen : sample.slots) {
        SlotTally& slot = slots_[seen.slot];
        slot.last_look = look_;
        ++slot.samples;
        if (!xids)
            continue;
        if (seen.xid >= first_normal_xid) {
            ++slot.with_xid;
            ++window_.with_xid;
            window_.xid_age = std::max(window_.xid_age, age_of(seen.xid, next_xid));
        }
        if (has_xmin) {
            add_xmin(slot, seen.xmin, next_xid);
            horizon.consider(seen.slot, seen.xid, seen.xmin, seen.flags, next_xid);
        }
    }
    if (xids && has_xmin)
        add_horizon(horizon);
}

void Tally::add(const ProcSample& sample, std::uint64_t next_xid, bool has_xmin) {
    ++window_.proc_samples;
    window_.xmin_samples += has_xmin ? 1 : 0;
    Horizon horizon;
    for (const ProcSlot& seen : sample.slots) {
        SlotTally& slot = slots_[seen.slot];
        ++slot.proc_samples;
        slot.pid = seen.pid;
        slot.database = seen.database;
        if (waits_for_proc_array_lock(seen.wait_event)) {
            ++slot.waiting;
            ++window_.waiting;
        }
        if (has_xmin) {
            add_xmin(slot, seen.xmin, next_xid);
            horizon.consider(seen.slot, seen.xid, seen.xmin, seen.flags, next_xid);
        }
    }
    if (has_xmin)
        add_horizon(horizon);
}

WindowTally Tally::take_window() {
    const WindowTally window = window_;
    total_ += window;
    window_ = {};
    return window;
}

} // namespace snapscope::mirror
