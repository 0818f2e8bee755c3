/*
 * snapcache.c
 *	  One copy of the snapshot in shared memory, for all backends.
 *
 * Included at the end of procarray.c, whose arrays it reads; not compiled by
 * itself.  Every function is kept out of line, so that the stock scan compiles
 * to what it is without this file.
 *
 * Two halves with different rules (DESIGN.md has the argument):
 *
 *	- The visibility half, the set of running xids, changes only under
 *	  exclusive ProcArrayLock.  Whoever changes it wipes the copy, and a copier
 *	  holds the lock shared from the check of validity until its own xmin is
 *	  published.
 *	- The horizon half, the oldest xmin that anybody holds, changes without any
 *	  lock.  It may be too old for a while (that costs pruning, not rows) and is
 *	  bounded in two ways: a leaving holder bumps an epoch, and a horizon older
 *	  than SNAPSHOT_HORIZON_MAX_AGE_US that could rise is computed anew.
 */
#include "snapscope/probes/ticks.h"
#include "storage/snapcache.h"

/* generation: counter << 2 | state; the counter moves with each wipe */
#define SNAPCACHE_STATE_MASK	UINT64CONST(3)
#define SNAPCACHE_INVALID		UINT64CONST(0)
#define SNAPCACHE_BUILDING		UINT64CONST(1)
#define SNAPCACHE_VALID			UINT64CONST(2)
#define SNAPCACHE_COUNTER_STEP	UINT64CONST(4)

#define SNAPCACHE_LINE_BYTES	64

/*
 * All that a reader needs when nobody is running stands on the first line;
 * the arrays follow, each from a line pair of its own.
 */
struct SnapshotCacheData
{
	pg_atomic_uint64 generation;
	pg_atomic_uint64 horizon;	/* epoch << 32 | oldest xmin held */
	pg_atomic_uint64 horizon_time;	/* TimestampTz of its computation */
	pg_atomic_uint32 epoch;
	TransactionId xmin;
	TransactionId xmax;
	uint32		xcnt;			/* everybody's, the builder's included */
	uint32		subxcnt;
	uint32		noverflowed;	/* procs listed whose subxid cache overflowed */
	int32		overflowed_procno;	/* the one, where there is one */
	bool		recovery;		/* taken from KnownAssignedXids */
	bool		recovery_overflowed;
};

SnapshotCacheData *SnapshotCache = NULL;

static TransactionId *snapcache_xip;
static TransactionId *snapcache_subxip;

#define SNAPCACHE_HEADER_BYTES	PG_CACHE_LINE_SIZE
#define SNAPCACHE_XIP_BYTES \
	TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(TransactionId) * PROCARRAY_MAXPROCS)
#define SNAPCACHE_SUBXIP_BYTES \
	(sizeof(TransactionId) * (Size) TOTAL_MAX_CACHED_SUBXIDS)

StaticAssertDecl(sizeof(SnapshotCacheData) <= SNAPCACHE_LINE_BYTES,
				 "the header of the shared snapshot must fit one cache line");

Size
SnapshotCacheShmemSize(void)
{
	Size		size = SNAPCACHE_HEADER_BYTES;

	if (snapshot_cache == SNAPSCOPE_MODE_OFF)
		return 0;
	size = add_size(size, SNAPCACHE_XIP_BYTES);
	return add_size(size, SNAPCACHE_SUBXIP_BYTES);
}

void
SnapshotCacheShmemInit(void)
{
	bool		found;
	char	   *base;

	if (snapshot_cache != SNAPSCOPE_MODE_OFF)
	{
		base = ShmemInitStruct("Snapshot Cache", SnapshotCacheShmemSize(), &found);
		SnapshotCache = (SnapshotCacheData *) base;
		snapcache_xip = (TransactionId *) (base + SNAPCACHE_HEADER_BYTES);
		snapcache_subxip = (TransactionId *) (base + SNAPCACHE_HEADER_BYTES + SNAPCACHE_XIP_BYTES);

		if (!found)
		{
			memset(base, 0, SNAPCACHE_HEADER_BYTES);
			pg_atomic_init_u64(&SnapshotCache->generation, SNAPCACHE_COUNTER_STEP | SNAPCACHE_INVALID);
			pg_atomic_init_u64(&SnapshotCache->horizon, 0);
			pg_atomic_init_u64(&SnapshotCache->horizon_time, 0);
			pg_atomic_init_u32(&SnapshotCache->epoch, 0);
		}
	}
	SnapScopeDescribe((uint64) (uintptr_t) procArray->pgprocnos,
					  (uint64) (uintptr_t) SnapshotCache);
}

/* ---- which lines a scan reads ---- */

/*
 * Lines of PGXACT that entry INDEX of pgprocnos[] adds to those of its
 * neighbours.  The array is sorted, so only the two next to it can share one.
 */
static pg_noinline int
SnapScopeLinesOfEntry(int index)
{
	int			procno = procArray->pgprocnos[index];
	uintptr_t	first = (uintptr_t) &allPgXact[procno] / SNAPCACHE_LINE_BYTES;
	uintptr_t	last = ((uintptr_t) (&allPgXact[procno] + 1) - 1) / SNAPCACHE_LINE_BYTES;

	if (index > 0)
	{
		uintptr_t	before = ((uintptr_t) (&allPgXact[procArray->pgprocnos[index - 1]] + 1) - 1) / SNAPCACHE_LINE_BYTES;

		if (before >= first)
			first = before + 1;
	}
	if (index + 1 < procArray->numProcs)
	{
		uintptr_t	after = (uintptr_t) &allPgXact[procArray->pgprocnos[index + 1]] / SNAPCACHE_LINE_BYTES;

		if (after <= last)
			last = after - 1;
	}
	return (int) (last + 1 - first);
}

/* ---- invalidation ---- */

/*
 * Nobody can be building or copying: the caller holds ProcArrayLock
 * exclusively.  A copy that is already wiped is left alone, so that a series
 * of commits without a snapshot between them dirties the line once.
 */
pg_noinline void
SnapshotCacheInvalidateSlow(enum snapscope_reason reason)
{
	uint64		generation = pg_atomic_read_u64(&SnapshotCache->generation);

	Assert(LWLockHeldByMeInMode(ProcArrayLock, LW_EXCLUSIVE));
	Assert((generation & SNAPCACHE_STATE_MASK) != SNAPCACHE_BUILDING);

	if ((generation & SNAPCACHE_STATE_MASK) != SNAPCACHE_VALID)
		return;
	pg_atomic_write_u64(&SnapshotCache->generation,
						((generation & ~SNAPCACHE_STATE_MASK) + SNAPCACHE_COUNTER_STEP) | SNAPCACHE_INVALID);
	SnapScopeNoteInvalidation(reason, generation >> 2);
}

#include "snapcache_horizon.c"

/* ---- building ---- */

/*
 * The stock scan with three differences: nobody is left out as "own", subxids
 * are gathered also behind an overflowed cache (who overflowed alone may drop
 * the flag), and no private memory is written.  ProcArrayLock is held shared
 * and the state says "building", so nobody reads the arrays.
 */
static void
SnapshotCacheBuild(void)
{
	SnapshotCacheData *cache = SnapshotCache;
	TransactionId xmax = ShmemVariableCache->latestCompletedXid;
	TransactionId xmin;
	TransactionId oldest;
	uint32		epoch;
	uint32		xcnt = 0;
	uint32		subxcnt = 0;
	uint32		noverflowed = 0;
	int32		overflowed_procno = INVALID_PGPROCNO;

	TransactionIdAdvance(xmax);
	oldest = xmin = xmax;

	/* The claim was a full barrier: see SnapshotCacheXminLeftSlow(). */
	epoch = pg_atomic_read_u32(&cache->epoch);
	pg_memory_barrier();

	cache->recovery = SnapScopeRecoveryInProgress();
	cache->recovery_overflowed = false;
	if (!cache->recovery)
	{
		int			numProcs = procArray->numProcs;

		for (int index = 0; index < numProcs; index++)
		{
			int			pgprocno = procArray->pgprocnos[index];
			PGXACT	   *pgxact = &allPgXact[pgprocno];
			TransactionId xid;
			int			nxids;

			if (pgxact->vacuumFlags & (PROC_IN_LOGICAL_DECODING | PROC_IN_VACUUM))
				continue;

			xid = UINT32_ACCESS_ONCE(pgxact->xmin);
			if (TransactionIdIsNormal(xid) && NormalTransactionIdPrecedes(xid, oldest))
				oldest = xid;

			xid = UINT32_ACCESS_ONCE(pgxact->xid);
			if (!TransactionIdIsNormal(xid) || !NormalTransactionIdPrecedes(xid, xmax))
				continue;
			if (NormalTransactionIdPrecedes(xid, xmin))
				xmin = xid;
			snapcache_xip[xcnt++] = xid;

			if (pgxact->overflowed)
			{
				noverflowed++;
				overflowed_procno = pgprocno;
			}
			nxids = pgxact->nxids;
			if (nxids > 0)
			{
				pg_read_barrier();	/* pairs with GetNewTransactionId */
				memcpy(snapcache_subxip + subxcnt, (void *) allProcs[pgprocno].subxids.xids,
					   nxids * sizeof(TransactionId));
				subxcnt += nxids;
			}
		}
	}
	else
	{
		subxcnt = KnownAssignedXidsGetAndSetXmin(snapcache_subxip, &xmin, xmax);
		cache->recovery_overflowed =
			TransactionIdPrecedesOrEquals(xmin, procArray->lastOverflowedXid);
	}

	if (TransactionIdPrecedes(xmin, oldest))
		oldest = xmin;
	cache->xmin = xmin;
	cache->xmax = xmax;
	cache->xcnt = xcnt;
	cache->subxcnt = subxcnt;
	cache->noverflowed = noverflowed;
	cache->overflowed_procno = overflowed_procno;
	pg_atomic_write_u64(&cache->horizon_time, (uint64) GetCurrentStatementStartTimestamp());
	pg_atomic_write_u64(&cache->horizon, SNAPCACHE_HORIZON(epoch, oldest));
}

/* ---- copying ---- */

static inline uint16
SnapshotCacheLinesOf(uint32 xids)
{
	uint64		lines = ((uint64) xids * sizeof(TransactionId) + SNAPCACHE_LINE_BYTES - 1) / SNAPCACHE_LINE_BYTES;

	return (uint16) Min(lines, PG_UINT16_MAX);
}

/*
 * Copies without this backend's own xids, as the stock scan leaves them out.
 * Its top-level xid may stand there twice around PREPARE; its subxids stand
 * together, in the order of its own cache, since only an abort reorders that
 * and an abort wipes the copy.
 */
static pg_noinline void
SnapshotCacheCopyWithoutOwn(Snapshot snapshot, SnapshotCacheTrace *trace)
{
	TransactionId own = MyPgXact->xid;
	uint32		nown = MyPgXact->nxids;
	uint32		count = 0;
	uint32		subcount = 0;

	for (uint32 i = 0; i < SnapshotCache->xcnt; i++)
	{
		if (snapcache_xip[i] != own)
			snapshot->xip[count++] = snapcache_xip[i];
	}
	snapshot->xcnt = count;

	for (uint32 i = 0; i < SnapshotCache->subxcnt; i++)
	{
		uint32		same = 0;

		while (same < nown && i + same < SnapshotCache->subxcnt &&
			   snapcache_subxip[i + same] == MyProc->subxids.xids[same])
			same++;
		if (same > 0)
		{
			memcpy(snapshot->subxip + subcount, snapcache_subxip + i + same,
				   (SnapshotCache->subxcnt - i - same) * sizeof(TransactionId));
			subcount += SnapshotCache->subxcnt - i - same;
			break;
		}
		snapshot->subxip[subcount++] = snapcache_subxip[i];
	}
	snapshot->subxcnt = subcount;
	trace->own_dropped = SnapshotCache->xcnt - count + SnapshotCache->subxcnt - subcount;
}

/* Fills everything of SNAPSHOT that depends on who is running. */
static void
SnapshotCacheCopy(Snapshot snapshot, SnapshotCacheTrace *trace)
{
	SnapshotCacheData *cache = SnapshotCache;
	TransactionId own = MyPgXact->xid;
	uint32		noverflowed = cache->noverflowed;

	snapshot->xmin = cache->xmin;
	snapshot->xmax = cache->xmax;
	snapshot->takenDuringRecovery = cache->recovery;
	trace->own_dropped = 0;

	/* An own xid at or past xmax was assigned after the build. */
	if (unlikely(TransactionIdIsNormal(own) && NormalTransactionIdPrecedes(own, cache->xmax)))
	{
		SnapshotCacheCopyWithoutOwn(snapshot, trace);
		if (noverflowed == 1 && cache->overflowed_procno == MyProc->pgprocno)
			noverflowed = 0;
	}
	else
	{
		if (cache->xcnt > 0)
			memcpy(snapshot->xip, snapcache_xip, cache->xcnt * sizeof(TransactionId));
		if (cache->subxcnt > 0)
			memcpy(snapshot->subxip, snapcache_subxip, cache->subxcnt * sizeof(TransactionId));
		snapshot->xcnt = cache->xcnt;
		snapshot->subxcnt = cache->subxcnt;
	}
	snapshot->suboverflowed = noverflowed > 0 || cache->recovery_overflowed;

	trace->copied_xids = snapshot->xcnt;
	trace->copied_subxids = snapshot->subxcnt;
	trace->copy_lines = 1 + SnapshotCacheLinesOf(cache->xcnt) + SnapshotCacheLinesOf(cache->subxcnt);
}

/*
 * What GetSnapshotData() does with its results once the lock is released.
 * SLOT_XMIN and SLOT_CATALOG_XMIN were read under the lock.
 */
static void
SnapshotCacheFinish(Snapshot snapshot, TransactionId oldest,
					TransactionId slot_xmin, TransactionId slot_catalog_xmin)
{
	RecentGlobalXmin = oldest - vacuum_defer_cleanup_age;
	if (!TransactionIdIsNormal(RecentGlobalXmin))
		RecentGlobalXmin = FirstNormalTransactionId;
	if (TransactionIdIsValid(slot_xmin) &&
		NormalTransactionIdPrecedes(slot_xmin, RecentGlobalXmin))
		RecentGlobalXmin = slot_xmin;
	RecentGlobalDataXmin = RecentGlobalXmin;
	if (TransactionIdIsNormal(slot_catalog_xmin) &&
		NormalTransactionIdPrecedes(slot_catalog_xmin, RecentGlobalXmin))
		RecentGlobalXmin = slot_catalog_xmin;
	RecentXmin = snapshot->xmin;

	snapshot->curcid = GetCurrentCommandId(false);
	snapshot->active_count = 0;
	snapshot->regd_count = 0;
	snapshot->copied = false;
	if (old_snapshot_threshold < 0)
	{
		snapshot->lsn = InvalidXLogRecPtr;
		snapshot->whenTaken = 0;
	}
	else
	{
		snapshot->lsn = GetXLogInsertRecPtr();
		snapshot->whenTaken = GetSnapshotCurrentTimestamp();
		MaintainOldSnapshotTimeMapping(snapshot->whenTaken, snapshot->xmin);
	}
}

#include "snapcache_verify.c"

pg_noinline bool
SnapshotCacheGet(Snapshot snapshot, SnapshotCacheTrace *trace)
{
	SnapshotCacheData *cache = SnapshotCache;
	TransactionId oldest;
	TransactionId slot_xmin;
	TransactionId slot_catalog_xmin;
	uint64		generation;

	trace->waited = false;
	trace->refreshed = false;
	trace->scan_lines = 0;
	trace->outcome = SNAPSCOPE_OUTCOME_REUSED;

	if (unlikely(snapshot_cache_verify))
		SnapshotCacheVerifyPrepare();

	if (unlikely(!LWLockConditionalAcquire(ProcArrayLock, LW_SHARED)))
	{
		uint16		cpu;
		uint64		start = trace->timed ? snapscope_ticks(snapscope_clock, &cpu) : 0;

		LWLockAcquire(ProcArrayLock, LW_SHARED);
		trace->waited = true;
		trace->wait_ticks = trace->timed ? snapscope_ticks(snapscope_clock, &cpu) - start : 0;
	}

	generation = pg_atomic_read_u64(&cache->generation);
	if (unlikely((generation & SNAPCACHE_STATE_MASK) != SNAPCACHE_VALID))
	{
		uint16		cpu;
		uint64		start = trace->timed ? snapscope_ticks(snapscope_clock, &cpu) : 0;

		if ((generation & SNAPCACHE_STATE_MASK) != SNAPCACHE_INVALID ||
			!pg_atomic_compare_exchange_u64(&cache->generation, &generation,
											(generation & ~SNAPCACHE_STATE_MASK) | SNAPCACHE_BUILDING))
		{
			LWLockRelease(ProcArrayLock);
			return false;
		}
		SnapshotCacheBuild();
		generation = (generation & ~SNAPCACHE_STATE_MASK) | SNAPCACHE_VALID;
		pg_write_barrier();
		pg_atomic_write_u64(&cache->generation, generation);

		trace->outcome = SNAPSCOPE_OUTCOME_REBUILT;
		trace->scan_lines = cache->recovery ? 0 : procArray->hotLines;
		trace->build_ticks = trace->timed ? snapscope_ticks(snapscope_clock, &cpu) - start : 0;
	}
	else
	{
		pg_read_barrier();		/* pairs with the builder's write barrier */

		/* Promotion: the source of running xids has changed, the wipe is on its way. */
		if (unlikely(cache->recovery) && !SnapScopeRecoveryInProgress())
		{
			LWLockRelease(ProcArrayLock);
			return false;
		}
	}
	trace->generation = generation >> 2;

	SnapshotCacheCopy(snapshot, trace);
	/* In recovery the horizon is that of the known-assigned xids. */
	oldest = unlikely(cache->recovery) ? cache->xmin : SnapshotCacheHorizon(trace);
	slot_xmin = procArray->replication_slot_xmin;
	slot_catalog_xmin = procArray->replication_slot_catalog_xmin;

	if (!TransactionIdIsValid(MyPgXact->xmin))
		MyPgXact->xmin = TransactionXmin = snapshot->xmin;

	if (unlikely(snapshot_cache_verify))
		SnapshotCacheVerify(snapshot, oldest);

	LWLockRelease(ProcArrayLock);

	SnapshotCacheFinish(snapshot, oldest, slot_xmin, slot_catalog_xmin);
	return true;
}
