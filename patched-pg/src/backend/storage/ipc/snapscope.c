/*
 * snapscope.c
 *	  What happens around snapshots: counted always, told to whoever listens.
 *
 * While nobody listens, what runs here is a handful of stores to counters on
 * lines that no other process writes.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/snapcache.h"
#include "storage/snapscope.h"
#include "storage/snapscope_emit.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"

/* settings */
const struct config_enum_entry snapshot_cache_options[] = {
	{"off", SNAPSCOPE_MODE_OFF, false},
	{"copy", SNAPSCOPE_MODE_COPY, false},
	{"spin", SNAPSCOPE_MODE_SPIN, false},
#ifndef PG_HAVE_ATOMIC_U64_SIMULATION
	{"lockfree", SNAPSCOPE_MODE_LOCKFREE, false},
#endif
	{NULL, 0, false}
};
int			snapshot_cache = SNAPSCOPE_MODE_OFF;
bool		snapshot_cache_verify = false;
int			snapshot_horizon_max_age = 1000;
#ifdef SNAPSCOPE_FAULTS
char	   *snapshot_cache_mutant = NULL;
char	   *snapshot_cache_pause = NULL;
bool		snapshot_cache_delays = false;
#endif
int			snapshot_event_ring_size = 256;

/*
 * Plain scans granted at once while nobody listens.  Bounds how long a
 * transaction that takes many snapshots goes on unheard after a listener has
 * come; at a few dozen instructions a refill, it costs the scans nothing.
 */
#define CREDIT_GRANT	256

int64		snapscope_credit = 0;
int64		snapscope_kept_credit = 0;
uint64		snapscope_lines = 0;
bool		snapscope_primary = false;

static int64 credit_granted = 0;	/* what snapscope_credit was when last looked at */
static int64 kept_credit_granted = 0;

static bool was_listening = false;

/* ---- counting plain scans ---- */

/* Books what spent credit since the last call. */
static inline void
Settle(void)
{
	int64		scans = credit_granted - snapscope_credit;
	int64		kept = kept_credit_granted - snapscope_kept_credit;

	credit_granted = snapscope_credit;
	kept_credit_granted = snapscope_kept_credit;
	snapscope_counters->taken += scans + kept;
	snapscope_counters->private_scans += scans;
	snapscope_counters->reused += kept;
	snapscope_counters->kept += kept;
	snapscope_counters->lines_scanned += snapscope_lines;
	snapscope_lines = 0;
}

/* All that was spent is settled. */
static inline void
Grant(int64 scans, int64 kept)
{
	snapscope_credit = credit_granted = scans;
	snapscope_kept_credit = kept_credit_granted = kept;
}

/* ---- listening ---- */

bool
SnapScopeListenersChanged(void)
{
	return SnapScopeListening() != was_listening;
}

/* From here on every snapshot asks who listens; a plain scan gets credit again by itself. */
void
SnapScopeRefresh(void)
{
	Settle();
	Grant(0, 0);
	was_listening = SnapScopeListening();
}

/* ---- a slot's life ---- */

void
SnapScopeAttachSlot(void)
{
	SnapScopeTakeSlot();
	Grant(0, 0);
	was_listening = SnapScopeListening();
}

/* The caller still owns MyProc; the next owner of the slot may come right after it gives it back. */
void
SnapScopeReleaseSlot(void)
{
	Settle();
	SnapScopeGiveSlotBack();
}

/* ---- snapshots ---- */

static inline void
CountServed(const SnapshotCacheTrace *trace)
{
	snapscope_counters->taken++;
	if (likely(trace->outcome == SNAPSCOPE_OUTCOME_REUSED))
		snapscope_counters->reused++;
	else
		snapscope_counters->rebuilt++;
	snapscope_counters->lockfree += trace->lockfree;
	snapscope_counters->kept += trace->kept;
	snapscope_counters->horizon_refreshes += trace->refreshed;
	snapscope_counters->lines_scanned += trace->scan_lines;
}

/* Also of one that was not served. */
static inline void
CountWaits(const SnapshotCacheTrace *trace)
{
	snapscope_counters->waited += trace->waited != 0;
	snapscope_counters->retries += trace->retries;
	snapscope_counters->spins += trace->spins;
	snapscope_counters->gave_up += trace->gave_up;
}

/* The stock scan, once; it spends the credit granted for it.  All is settled. */
static Snapshot
PrivateScan(Snapshot snapshot)
{
	Grant(1, 0);
	snapshot = GetSnapshotData(snapshot);
	Settle();
	SnapshotCacheNoteHorizon(RecentGlobalXmin);
	return snapshot;
}

static void
EmitWait(uint32 kind, uint64 ticks, uint32 spins, bool gave_up, struct snapscope_record *record)
{
	record->type = SNAPSCOPE_EV_WAIT;
	record->a = (uint32) Min(ticks, PG_UINT32_MAX);
	record->b = kind;
	record->c = spins;
	record->d = gave_up;
	SnapScopeEmit(record);
}

/* What happened inside of one snapshot, in the order in which it happened; all stamped at its end. */
static void
EmitWaits(const SnapshotCacheTrace *trace, struct snapscope_record *record)
{
	if (trace->waited & SNAPSCOPE_WAIT_LOCK)
		EmitWait(SNAPSCOPE_WAIT_LOCK, trace->lock_ticks, 0, false, record);
	if (trace->waited & SNAPSCOPE_WAIT_BUILDER)
		EmitWait(SNAPSCOPE_WAIT_BUILDER, trace->spin_ticks, trace->spins, trace->gave_up, record);
}

static void
EmitParts(const SnapshotCacheTrace *trace, struct snapscope_record *record)
{
	if (trace->outcome == SNAPSCOPE_OUTCOME_REBUILT)
	{
		record->type = SNAPSCOPE_EV_REBUILD;
		record->lines = trace->scan_lines;
		record->a = trace->copied_xids;
		record->b = trace->copied_subxids;
		record->c = (uint32) trace->generation;
		record->d = (uint32) Min(trace->build_ticks, PG_UINT32_MAX);
		SnapScopeEmit(record);
	}
	if (trace->refreshed)
	{
		record->type = SNAPSCOPE_EV_HORIZON_REFRESH;
		record->lines = trace->scan_lines;
		record->a = trace->horizon;
		record->b = record->c = record->d = 0;
		SnapScopeEmit(record);
	}
	if (trace->kept)
		return;
	record->type = SNAPSCOPE_EV_COPY;
	record->lines = trace->copy_lines;
	record->a = trace->copied_xids;
	record->b = trace->copied_subxids;
	record->c = (uint32) trace->generation;
	record->d = trace->own_dropped;
	SnapScopeEmit(record);
}

static void
EmitDone(Snapshot snapshot, struct snapscope_record *record, const SnapshotCacheTrace *trace, uint64 lines)
{
	record->type = SNAPSCOPE_EV_SNAPSHOT_DONE;
	record->outcome = trace->outcome;
	record->lines = (uint16) Min(lines, PG_UINT16_MAX);
	record->flags = (snapshot->suboverflowed ? SNAPSCOPE_FLAG_SUBOVERFLOWED : 0) |
		(snapshot->takenDuringRecovery ? SNAPSCOPE_FLAG_RECOVERY : 0) |
		(trace->waited != 0 ? SNAPSCOPE_FLAG_WAITED : 0) |
		(trace->lockfree ? SNAPSCOPE_FLAG_LOCKFREE : 0) |
		(trace->kept ? SNAPSCOPE_FLAG_KEPT : 0) |
		(trace->retries << SNAPSCOPE_FLAG_RETRIES_SHIFT);
	record->a = snapshot->xcnt;
	record->b = (uint32) snapshot->subxcnt;
	record->c = snapshot->xmin;
	record->d = snapshot->xmax;
	SnapScopeEmit(record);
	record->outcome = SNAPSCOPE_OUTCOME_NONE;
	record->flags = 0;
}

/* One snapshot while somebody listens. */
static pg_noinline Snapshot
TracedSnapshot(Snapshot snapshot)
{
	SnapshotCacheTrace trace = {0};
	struct snapscope_record record = SnapScopeNewRecord(SNAPSCOPE_EV_SNAPSHOT_START);
	TransactionId xmin_before = snapcache_own_xmin;
	uint64		lines_before = snapscope_counters->lines_scanned;
	bool		served;

	SnapScopeEmitInvalidation();
	SnapScopeEmit(&record);

	trace.timed = true;
	served = SnapshotCache != NULL && SnapshotCacheGet(snapshot, &trace);
	CountWaits(&trace);
	if (served)
	{
		CountServed(&trace);
		record = SnapScopeNewRecord(SNAPSCOPE_EV_SNAPSHOT_DONE);
		EmitWaits(&trace, &record);
		EmitParts(&trace, &record);
	}
	else
	{
		trace.outcome = SNAPSCOPE_OUTCOME_PRIVATE_SCAN;
		snapshot = PrivateScan(snapshot);
		record = SnapScopeNewRecord(SNAPSCOPE_EV_SNAPSHOT_DONE);
		EmitWaits(&trace, &record);
	}
	EmitDone(snapshot, &record, &trace, snapscope_counters->lines_scanned - lines_before);
	if (!TransactionIdIsValid(xmin_before) && TransactionIdIsValid(snapcache_own_xmin))
		SnapScopeEmitWords(SNAPSCOPE_EV_XMIN_SET, snapcache_own_xmin, 0);
	return snapshot;
}

/* The stock scan, with credit for those to come: nothing is cached and nobody listens. */
static pg_noinline Snapshot
UnheardScan(Snapshot snapshot)
{
	snapscope_primary = !RecoveryInProgress();
	Grant(CREDIT_GRANT, 0);
	return GetSnapshotData(snapshot);
}

Snapshot
SnapScopeGetSnapshot(Snapshot snapshot)
{
	SnapshotCacheTrace trace;

	Settle();
	was_listening = SnapScopeListening();
	if (unlikely(was_listening))
	{
		Grant(0, 0);
		return TracedSnapshot(snapshot);
	}
	if (SnapshotCache == NULL)
		return UnheardScan(snapshot);

	memset(&trace, 0, offsetof(SnapshotCacheTrace, copied_xids));
	if (unlikely(!SnapshotCacheGet(snapshot, &trace)))
	{
		CountWaits(&trace);
		return PrivateScan(snapshot);
	}
	CountWaits(&trace);
	CountServed(&trace);
	Grant(0, trace.lockfree || trace.kept ? CREDIT_GRANT : 0);
	return snapshot;
}

/* ---- around snapshots ---- */

/* The transaction that ended had XID and XMIN, each if any. */
void
SnapScopeTransactionEnd(TransactionId xid, TransactionId xmin)
{
	Settle();
	if (TransactionIdIsValid(xid))
		snapscope_counters->xacts_with_xid++;
	else
		snapscope_counters->xacts_without_xid++;
	if (unlikely(snapscope_counters->database != MyDatabaseId))
		snapscope_counters->database = MyDatabaseId;

	SnapScopeEmitInvalidation();
	if (unlikely(SnapScopeListening()))
	{
		if (TransactionIdIsValid(xmin))
			SnapScopeEmitWords(SNAPSCOPE_EV_XMIN_CLEARED, xmin, InvalidTransactionId);
		SnapScopeEmitWords(SNAPSCOPE_EV_XACT_END, xid, 0);
	}
}

/* Own xmin has become AFTER, other than by a snapshot or by the end of a transaction. */
void
SnapScopeXminMoved(TransactionId before, TransactionId after)
{
	if (likely(!SnapScopeListening()))
		return;
	if (TransactionIdIsValid(before))
		SnapScopeEmitWords(SNAPSCOPE_EV_XMIN_CLEARED, before, after);
	else
		SnapScopeEmitWords(SNAPSCOPE_EV_XMIN_SET, after, 0);
}

void
SnapScopeXidAssigned(TransactionId xid, bool subxact)
{
	snapscope_counters->xids_assigned++;
	if (unlikely(SnapScopeListening()))
		SnapScopeEmitWords(SNAPSCOPE_EV_XID_ASSIGNED, xid, subxact ? 1 : 0);
}
