#include "mode_replay.hpp"

#include <snapscope/probes/abi.h>

namespace snapscope {

bool ModeReplay::wipe() {
    const bool was_valid = valid_;
    valid_ = false;
    generation_ += was_valid ? 1U : 0U;
    return was_valid;
}

void ModeReplay::snapshot(Operation& operation) {
    operation.retries = 0;
    operation.refreshes = false;
    operation.waited_for_builder = false;
    if (target_ == CacheMode::off) {
        operation.path = SnapshotPath::scan;
        return;
    }
    if (!valid_) {
        operation.path = SnapshotPath::rebuild;
        valid_ = true;
        filled_at_ns_ = operation.end_ns;
    } else if (operation.start_ns < filled_at_ns_) {
        operation.waited_for_builder = target_ == CacheMode::spin;
        operation.path = operation.waited_for_builder ? SnapshotPath::locked_copy : SnapshotPath::lost_scan;
    } else if (target_ == CacheMode::lockfree) {
        operation.path = copied_[operation.slot] == generation_ ? SnapshotPath::kept : SnapshotPath::lockfree;
        copied_[operation.slot] = generation_;
    } else {
        operation.path = SnapshotPath::locked_copy;
    }
}

ModeReplay::Replayed ModeReplay::replay(Operation& operation) {
    Replayed out;
    switch (operation.kind) {
    case OperationKind::snapshot:
        snapshot(operation);
        break;
    case OperationKind::xact_end:
        out.wipes_first = operation.xid != 0 && target_ != CacheMode::off && wipe();
        break;
    case OperationKind::invalidation: // ends of transactions are told by themselves
        out.drop = target_ == CacheMode::off || operation.reason == SNAPSCOPE_REASON_XACT_END || !wipe();
        break;
    default:
        break;
    }
    return out;
}

} // namespace snapscope
