/*
 * snapscope.h
 *	  Counts snapshots and what invalidates them, and tells a listening tool.
 *
 * The stock scan in GetSnapshotData() pays for all of this with one test and one
 * decrement of a process-local word: snapscope_credit is how many plain scans
 * may still run before SnapScopeGetSnapshot() has to look at things.  It is zero
 * while a snapshot is cached or traced, so those live outside of the stock
 * function; and the number spent is the number of scans.  It is spent after the
 * lock is taken: a store just before the lock's atomic instruction would have to
 * drain first, which cost 3 ns a snapshot.
 *
 * Nothing here is emitted while ProcArrayLock or another lock of the snapshot
 * path is held: a trap inside of the lock would change what is measured.
 */
#ifndef STORAGE_SNAPSCOPE_H
#define STORAGE_SNAPSCOPE_H

#include "snapscope/probes/abi.h"
#include "utils/snapshot.h"

/* settings */
extern int	snapshot_cache;			/* enum snapscope_mode */
extern bool snapshot_cache_verify;
extern int	snapshot_horizon_max_age;	/* ms; 0: exact */
extern int	snapshot_event_ring_size;	/* kB a slot */
extern bool snapshot_slot_spread;
extern int	snapshot_layout_pad;	/* kB */
#ifdef SNAPSCOPE_FAULTS
extern char *snapshot_cache_mutant;
extern char *snapshot_cache_pause;
extern bool snapshot_cache_delays;
#endif

/* of this process; see above */
extern int64 snapscope_credit;
extern int64 snapscope_kept_credit;	/* the same for snapshots that are still held */
extern uint64 snapscope_lines;	/* lines read by scans not yet counted */
extern bool snapscope_primary;	/* recovery is known to be over */

extern uint32 snapscope_clock;	/* enum snapscope_clock */

/* counters of this process's slot; a dummy before it has one */
extern struct snapscope_counters *snapscope_counters;

/* where slots lie and which are handed out */
struct PGPROC;
extern Size SnapScopeLayoutPadSize(void);
extern void SnapScopeLayoutPad(void);
extern void SnapScopeSpreadSlots(void);
extern struct PGPROC *volatile *SnapScopeFreeProcs(struct PGPROC *volatile *list);
extern int	SnapScopeFreeBeside(int limit);

/* life of the memory file and of a slot */
extern void SnapScopeSegmentCreated(const void *base, Size bytes);
extern void SnapScopeShmemInit(void);
extern void SnapScopeDescribe(uint64 pgprocnos, uint64 copy, uint64 copy_bytes);
extern void SnapScopeAttachSlot(void);
extern void SnapScopeReleaseSlot(void);

/* one snapshot, with everything that the plain scan leaves out */
extern Snapshot SnapScopeGetSnapshot(Snapshot snapshot);

/* what happened around it; all to be called without a lock */
extern void SnapScopeTransactionEnd(TransactionId xid, TransactionId xmin);
extern void SnapScopeXminMoved(TransactionId before, TransactionId after);
extern void SnapScopeXidAssigned(TransactionId xid, bool subxact);
extern void SnapScopeEmitInvalidation(void);

/* to be called under the lock: remembers, SnapScopeEmitInvalidation() tells */
extern void SnapScopeNoteInvalidation(enum snapscope_reason reason, uint64 generation);

/* what the memory file says of this server */
extern const struct snapscope_header *SnapScopeDescription(void);

/* the counters of slot N, or NULL past the last */
extern const struct snapscope_counters *SnapScopeSlotCounters(uint32 slot);

extern bool SnapScopeListenersChanged(void);
extern void SnapScopeRefresh(void);

/* A listener that came or left since the last transaction is noticed here. */
static inline void
SnapScopeTransactionStart(void)
{
	if (unlikely(SnapScopeListenersChanged()))
		SnapScopeRefresh();
}

/* RecoveryInProgress(), without a call once the answer is final. */
#define SnapScopeRecoveryInProgress() \
	(!snapscope_primary && RecoveryInProgress())

#endif
