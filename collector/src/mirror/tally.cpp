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

// The xid that a slot held is over, or its window is.  Its age was greatest in
// the last look that saw it, if that was one of this window.
void Tally::count_xid(SlotTally& slot) {
    if (slot.xid >= first_normal_xid) {
        slot.with_xid += xid_looks_ - slot.xid_from;
        if (xid_looks_ > std::max(slot.xid_from, window_from_))
            window_.xid_age = std::max(window_.xid_age, age_of(slot.xid, next_xid_));
    }
    slot.xid_from = xid_looks_;
}

void Tally::hold(SlotTally& slot, std::uint32_t xid) {
    count_xid(slot);
    with_xid_ -= slot.xid >= first_normal_xid ? 1 : 0;
    with_xid_ += xid >= first_normal_xid ? 1 : 0;
    slot.xid = xid;
}

void Tally::count_taken() {
    for (const std::uint32_t number : taken_) {
        SlotTally& slot = slots_[number];
        slot.samples += roster_looks_ - slot.taken_from;
        slot.taken_from = roster_looks_;
        count_xid(slot);
    }
}

void Tally::take_all(const DenseSample& sample) {
    count_taken();
    for (const std::uint32_t number : taken_) {
        slots_[number].taken = false;
        hold(slots_[number], 0);
    }
    taken_.clear();
    for (const DenseSlot& seen : sample.slots) {
        SlotTally& slot = slots_[seen.slot];
        slot.taken = true;
        slot.taken_from = roster_looks_;
        hold(slot, sample.torn == Torn::no ? seen.xid : 0);
        taken_.push_back(seen.slot);
    }
}

void Tally::add(const DenseSample& sample) {
    ++window_.samples;
    window_.lock_exclusive += sample.lock_exclusive ? 1 : 0;
    window_.lock_shared += sample.lock_shared > 0 ? 1 : 0;
    if (sample.torn == Torn::roster)
        return;
    if (sample.anew)
        take_all(sample);
    for (const std::uint32_t entry : sample.changed)
        hold(slots_[sample.slots[entry].slot], sample.slots[entry].xid);
    ++window_.roster_samples;
    ++roster_looks_;
    window_.taken += sample.slots.size();
    if (sample.torn == Torn::counters)
        return;
    ++window_.xid_samples;
    ++xid_looks_;
    window_.with_xid += with_xid_;
    next_xid_ = sample.counters.next_xid;
}

void Tally::add_xmins(const DenseSample& sample) {
    const std::uint64_t next_xid = sample.counters.next_xid;
    ++window_.xmin_samples;
    Horizon horizon;
    for (const DenseSlot& seen : sample.slots) {
        add_xmin(slots_[seen.slot], seen.xmin, next_xid);
        horizon.consider(seen.slot, seen.xid, seen.xmin, seen.flags, next_xid);
    }
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
    count_taken();
    window_from_ = xid_looks_;
    const WindowTally window = window_;
    total_ += window;
    window_ = {};
    return window;
}

} // namespace snapscope::mirror
