// What a backend did, as the events of a run tell it: one thing at a time, in
// the order of time.  What a model turns into accesses.
#pragma once

#include <cstdint>

namespace snapscope {

enum class OperationKind : std::uint8_t {
    snapshot,
    xact_end,      // own entry cleared, under the lock where there is an xid
    xmin_store,    // own xmin set, cleared or advanced outside of a snapshot
    xid_assigned,  // own xid or subxid count set
    invalidation,  // the shared copy wiped
    slot_taken,    // enters the array
    slot_released, // leaves it
};

enum class SnapshotPath : std::uint8_t {
    scan,        // the stock scan, under the lock
    lost_scan,   // looked at the copy under the lock, somebody else was building it; then the stock scan
    locked_copy, // copied under the lock
    rebuild,     // filled the copy, then copied
    lockfree,    // copied without the lock
    kept,        // looked at the copy's header alone
};

struct Operation {
    OperationKind kind = OperationKind::snapshot;
    SnapshotPath path = SnapshotPath::scan;
    std::uint32_t slot = 0;
    std::uint16_t cpu = 0;     // the system's number, as recorded
    std::int64_t start_ns = 0; // of a snapshot: once it had the lock
    std::int64_t end_ns = 0;   // of everything else: the moment
    bool publishes = false;    // a snapshot that stores its own xmin
    bool refreshes = false;    // and computes the horizon anew
    bool waited_for_builder = false;
    bool left_xmin = false;              // looked at the copy's header because its xmin went away
    std::uint32_t own_xmin_reads = 0;    // xmin_store: times that its own xmin was compared before, and not changed
    bool subtransaction = false;         // xid_assigned: the entry's count changed, its xid did not
    std::uint32_t retries = 0;           // times the copy was wiped while it was read without the lock
    std::uint32_t xids = 0, subxids = 0; // a snapshot's counts
    std::uint32_t xid = 0;               // xact_end: 0 where it had none
    std::uint8_t reason = 0;             // invalidation: enum snapscope_reason
    std::uint16_t recorded_lines = 0;    // of PGXACT, as the server counted them; 0 unknown
};

} // namespace snapscope
