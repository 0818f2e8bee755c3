#include "event_fold.hpp"

#include <snapscope/probes/abi.h>

#include <algorithm>
#include <cmath>

namespace snapscope {
namespace {

constexpr std::uint32_t portal_xmin_reads = 2; // PortalStart(), PortalRunSelect()
constexpr double longest_wait_ns = 1e15;       // what no clock of a run says

SnapshotPath path_of(const Event& event, bool builder_wait) {
    switch (event.outcome) {
    case SNAPSCOPE_OUTCOME_REBUILT:
        return SnapshotPath::rebuild;
    case SNAPSCOPE_OUTCOME_REUSED:
        if ((event.flags & SNAPSCOPE_FLAG_KEPT) != 0)
            return SnapshotPath::kept;
        return (event.flags & SNAPSCOPE_FLAG_LOCKFREE) != 0 ? SnapshotPath::lockfree : SnapshotPath::locked_copy;
    default:
        return builder_wait ? SnapshotPath::lost_scan : SnapshotPath::scan;
    }
}

// A stamp's moment, with what all operations have.
Operation at(const Event& event, OperationKind kind) {
    Operation out;
    out.kind = kind;
    out.slot = event.slot;
    out.cpu = event.cpu;
    out.start_ns = out.end_ns = event.time_ns;
    return out;
}

} // namespace

void EventFold::close(Slot& slot, std::uint32_t index) {
    if (slot.start)
        open_.erase({*slot.start, index});
    slot.start.reset();
    slot.lock_wait_ns = 0;
    slot.builder_wait = slot.refreshed = false;
}

void EventFold::end_xact(Slot& slot) {
    slot.xmin = Xmin::unset;
    slot.published = slot.has_xid = false;
    slot.published_in_xact = 0;
}

void EventFold::wait(Slot& slot, const Event& event) const {
    if (event.b == SNAPSCOPE_WAIT_BUILDER)
        slot.builder_wait = true;
    else if (event.b == SNAPSCOPE_WAIT_LOCK && ticks_per_ns_ && *ticks_per_ns_ > 0)
        slot.lock_wait_ns = std::llround(std::min(longest_wait_ns, static_cast<double>(event.a) / *ticks_per_ns_));
}

Operation EventFold::snapshot(Slot& slot, const Event& event) {
    ++counts_.snapshots;
    Operation out = at(event, OperationKind::snapshot);
    if (slot.start)
        out.start_ns = std::min(*slot.start + slot.lock_wait_ns, event.time_ns);
    else
        ++counts_.without_start;
    out.path = path_of(event, slot.builder_wait);
    out.waited_for_builder = slot.builder_wait;
    out.refreshes = slot.refreshed;
    out.retries = event.flags >> SNAPSCOPE_FLAG_RETRIES_SHIFT;
    out.xids = event.a;
    out.subxids = event.b;
    out.recorded_lines = event.lines;
    out.publishes = slot.xmin == Xmin::unset;
    if (out.publishes) {
        slot.xmin = Xmin::set;
        slot.published = true;
        ++slot.published_in_xact;
    }
    close(slot, event.slot);
    return out;
}

// Set, cleared or advanced; a store of its own unless a snapshot has made it.
std::optional<Operation> EventFold::xmin_event(Slot& slot, const Event& event, Operation operation) {
    const bool set = event.type == SNAPSCOPE_EV_XMIN_SET || event.b != 0;
    slot.xmin = set ? Xmin::set : Xmin::unset;
    const bool made = event.type == SNAPSCOPE_EV_XMIN_SET && slot.published;
    slot.published = false;
    if (made)
        return std::nullopt;
    slot.published_in_xact += event.type == SNAPSCOPE_EV_XMIN_SET ? 1U : 0U;
    operation.left_xmin = event.type == SNAPSCOPE_EV_XMIN_CLEARED;
    if (operation.left_xmin && set)
        operation.own_xmin_reads = 1; // it was older than what is left
    else if (operation.left_xmin && !slot.has_xid && slot.published_in_xact > 0 && slot.published_in_xact % 2 == 0)
        operation.own_xmin_reads = portal_xmin_reads;
    return operation;
}

std::optional<Operation> EventFold::fold(const Event& event) {
    ++counts_.events;
    if (event.slot >= slots_.size()) {
        ++counts_.foreign;
        return std::nullopt;
    }
    Slot& slot = slots_[event.slot];
    switch (event.type) {
    case SNAPSCOPE_EV_SNAPSHOT_START:
        counts_.without_end += slot.start ? 1U : 0U;
        close(slot, event.slot);
        slot.start = event.time_ns;
        open_.emplace(event.time_ns, event.slot);
        return std::nullopt;
    case SNAPSCOPE_EV_WAIT:
        wait(slot, event);
        return std::nullopt;
    case SNAPSCOPE_EV_HORIZON_REFRESH:
        slot.refreshed = true;
        return std::nullopt;
    case SNAPSCOPE_EV_SNAPSHOT_DONE:
        return snapshot(slot, event);
    case SNAPSCOPE_EV_XMIN_SET:
    case SNAPSCOPE_EV_XMIN_CLEARED:
        return xmin_event(slot, event, at(event, OperationKind::xmin_store));
    case SNAPSCOPE_EV_XID_ASSIGNED: {
        slot.has_xid = true;
        Operation out = at(event, OperationKind::xid_assigned);
        out.subtransaction = event.b != 0;
        return out;
    }
    case SNAPSCOPE_EV_XACT_END: {
        ++counts_.transactions;
        end_xact(slot);
        Operation out = at(event, OperationKind::xact_end);
        out.xid = event.a;
        return out;
    }
    case SNAPSCOPE_EV_INVALIDATE: {
        Operation out = at(event, OperationKind::invalidation);
        out.reason = event.outcome;
        return out;
    }
    case SNAPSCOPE_EV_SLOT_TAKEN:
    case SNAPSCOPE_EV_SLOT_RELEASED: {
        const bool taken = event.type == SNAPSCOPE_EV_SLOT_TAKEN;
        counts_.without_end += slot.start ? 1U : 0U;
        close(slot, event.slot);
        end_xact(slot);
        return at(event, taken ? OperationKind::slot_taken : OperationKind::slot_released);
    }
    default: // what is told again by SNAPSHOT_DONE
        return std::nullopt;
    }
}

} // namespace snapscope
