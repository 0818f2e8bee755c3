#include "word_model.hpp"

namespace snapscope {

void WordModel::take_lock(std::uint64_t times) {
    lock_.reads += times;
    lock_.writes += 2 * times;
}

void WordModel::add_scans(Entry& entry) const {
    if (!entry.member)
        return;
    entry.xid.reads += scans_ - entry.scans_before;
    entry.xmin.reads += scans_ - entry.scans_before + xmin_scans_ - entry.xmin_scans_before;
}

void WordModel::enter(std::uint32_t slot) {
    if (slot >= entries_.size() || entries_[slot].member)
        return;
    entries_[slot].member = true;
    entries_[slot].scans_before = scans_;
    entries_[slot].xmin_scans_before = xmin_scans_;
}

void WordModel::leave(std::uint32_t slot) {
    if (slot >= entries_.size())
        return;
    add_scans(entries_[slot]);
    entries_[slot].member = false;
}

void WordModel::snapshot(const Operation& operation, Entry& own) {
    if (operation.publishes) {
        // Published for each try, and taken back where it fails; a horizon that has to be
        // computed anew lets the last one fail.
        const bool sent_back = lockfree_ && operation.refreshes;
        own.xmin.writes += 1 + 2 * (std::uint64_t{operation.retries} + (sent_back ? 1U : 0U));
    }
    xmin_scans_ += operation.refreshes ? 1U : 0U;
    switch (operation.path) {
    case SnapshotPath::lost_scan:
        take_lock();
        [[fallthrough]];
    case SnapshotPath::scan:
        take_lock();
        ++scans_;
        ++own.xmin.reads;
        break;
    case SnapshotPath::rebuild:
        take_lock();
        ++scans_;
        break;
    case SnapshotPath::locked_copy:
        take_lock();
        break;
    case SnapshotPath::lockfree:
    case SnapshotPath::kept:
        break;
    }
}

void WordModel::run(const Operation& operation, std::uint32_t slot) {
    if (slot >= entries_.size())
        return;
    Entry& own = entries_[slot];
    switch (operation.kind) {
    case OperationKind::snapshot:
        snapshot(operation, own);
        break;
    case OperationKind::xact_end:
        ++own.xmin.writes;
        if (operation.xid != 0) {
            take_lock();
            ++own.xid.reads; // TransactionIdSetPageStatus()
            ++own.xid.writes;
        }
        break;
    case OperationKind::xmin_store:
        own.xmin.reads += operation.own_xmin_reads;
        ++own.xmin.writes;
        break;
    case OperationKind::xid_assigned:
        own.xid.writes += operation.subtransaction ? 0U : 1U;
        break;
    case OperationKind::slot_taken: // InitProcess() clears both before the array knows it
        ++own.xid.writes;
        ++own.xid.reads;
        ++own.xmin.writes;
        take_lock();
        break;
    case OperationKind::slot_released:
        ++own.xmin.reads;
        take_lock();
        break;
    case OperationKind::invalidation:
        break;
    }
}

std::vector<EntryWords> WordModel::entries() const {
    std::vector<EntryWords> out;
    for (std::uint32_t slot = 0; slot < entries_.size(); ++slot) {
        Entry entry = entries_[slot];
        add_scans(entry);
        if (entry.xid.reads + entry.xid.writes + entry.xmin.reads + entry.xmin.writes > 0)
            out.push_back({slot, entry.xid, entry.xmin});
    }
    return out;
}

} // namespace snapscope
