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
#include "replication/walsender.h"
#include "storage/snapcache.h"

/* generation: counter << 2 | state; the counter moves with each wipe */
#define SNAPCACHE_STATE_MASK	UINT64CONST(3)
#define SNAPCACHE_INVALID		UINT64CONST(0)
#define SNAPCACHE_BUILDING		UINT64CONST(1)
#define SNAPCACHE_VALID			UINT64CONST(2)
#define SNAPCACHE_COUNTER_STEP	UINT64CONST(4)

#define SNAPCACHE_LINE_BYTES	64
#define SNAPCACHE_HEADER_BYTES	PG_CACHE_LINE_SIZE

/* overflowed_procno, where it is not a slot */
#define SNAPCACHE_OVERFLOWED_NOBODY		(-1)
#define SNAPCACHE_OVERFLOWED_SEVERAL	(-2)

/* What a build writes and a copier reads: one snapshot, the arrays aside. */
typedef struct SnapshotCacheHeader
{
	TransactionId xmin;
	TransactionId xmax;
	uint32		xcnt;			/* everybody's, the builder's included */
	uint32		subxcnt;
	TransactionId slot_xmin;	/* as ProcArrayStruct has them */
	TransactionId slot_catalog_xmin;
	int32		overflowed_procno;	/* the slot whose subxid cache overflowed */
	bool		recovery;		/* taken from KnownAssignedXids */
	bool		recovery_overflowed;
} SnapshotCacheHeader;

/*
 * All that a reader needs when nobody is running stands on the first line;
 * the arrays follow, each from a line pair of its own.
 */
struct SnapshotCacheData
{
	pg_atomic_uint64 generation;
	pg_atomic_uint64 horizon;	/* epoch << 32 | oldest xmin held */
	pg_atomic_uint64 horizon_time;	/* TimestampTz of its computation */
	SnapshotCacheHeader header;
	pg_atomic_uint32 epoch;
	/* next line: what only snapshot_cache_verify uses */
	pg_atomic_uint32 handed_out pg_attribute_aligned(SNAPCACHE_LINE_BYTES);
};

SnapshotCacheData *SnapshotCache = NULL;

static TransactionId *snapcache_xip;
static TransactionId *snapcache_subxip;

#ifdef SNAPSCOPE_FAULTS
#include "snapcache_faults.c"
#endif

#define SNAPCACHE_XIP_BYTES \
	TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(TransactionId) * PROCARRAY_MAXPROCS)
#define SNAPCACHE_SUBXIP_BYTES \
	(sizeof(TransactionId) * (Size) TOTAL_MAX_CACHED_SUBXIDS)

StaticAssertDecl(offsetof(SnapshotCacheData, handed_out) == SNAPCACHE_LINE_BYTES &&
				 sizeof(SnapshotCacheData) <= SNAPCACHE_HEADER_BYTES,
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
			pg_atomic_init_u32(&SnapshotCache->handed_out, InvalidTransactionId);
		}
	}
	SnapScopeDescribe((uint64) (uintptr_t) procArray->pgprocnos,
					  (uint64) (uintptr_t) SnapshotCache, SnapshotCacheShmemSize());
}

/*
 * The arrays of a struct that is filled for the first time, as the stock
 * function allocates them; it does not get to that where no plain scan is due.
 */
static pg_noinline void
SnapshotCacheAllocate(Snapshot snapshot)
{
	TransactionId *xip = malloc(GetMaxSnapshotXidCount() * sizeof(TransactionId));
	TransactionId *subxip = malloc(GetMaxSnapshotSubxidCount() * sizeof(TransactionId));

	if (xip == NULL || subxip == NULL)
	{
		free(xip);
		free(subxip);
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	}
	SnapshotCacheForget(snapshot);	/* another one may have stood here */
	snapshot->xip = xip;
	snapshot->subxip = subxip;
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
	/*
	 * Before the change, though whoever acts on the change got it through the
	 * release of the lock: for a reader of xids that takes no lock, if ever.
	 */
	pg_write_barrier();
	SnapshotCacheWindow();
	SnapScopeNoteInvalidation(reason, generation >> 2);
}

#include "snapcache_horizon.c"

/* ---- building ---- */

/*
 * The stock scan with three differences: nobody is left out as "own", subxids
 * are gathered also behind an overflowed cache (who overflowed alone may drop
 * the flag), and no private memory is written.  ProcArrayLock is held shared
 * and the state says "building", so nobody else writes here; a lock-free reader
 * that reads meanwhile throws away what it read.
 */
static void
SnapshotCacheBuild(void)
{
	SnapshotCacheData *cache = SnapshotCache;
	SnapshotCacheHeader header;
	TransactionId oldest;
	uint32		epoch;

	header.xmax = ShmemVariableCache->latestCompletedXid;
	TransactionIdAdvance(header.xmax);
	oldest = header.xmin = header.xmax;
	header.xcnt = header.subxcnt = 0;
	header.slot_xmin = procArray->replication_slot_xmin;
	header.slot_catalog_xmin = procArray->replication_slot_catalog_xmin;
	header.overflowed_procno = SNAPCACHE_OVERFLOWED_NOBODY;
	header.recovery = SnapScopeRecoveryInProgress();
	header.recovery_overflowed = false;

	/* The claim was a full barrier: see SnapshotCacheXminLeftSlow(). */
	epoch = pg_atomic_read_u32(&cache->epoch);
	pg_memory_barrier();
	SnapshotCacheWindow();

	if (!header.recovery)
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
			if (!TransactionIdIsNormal(xid) || !NormalTransactionIdPrecedes(xid, header.xmax))
				continue;
			if (NormalTransactionIdPrecedes(xid, header.xmin))
				header.xmin = xid;
			snapcache_xip[header.xcnt++] = xid;

			if (pgxact->overflowed)
				header.overflowed_procno =
					header.overflowed_procno == SNAPCACHE_OVERFLOWED_NOBODY ? pgprocno : SNAPCACHE_OVERFLOWED_SEVERAL;
			nxids = pgxact->nxids;
			if (nxids > 0)
			{
				pg_read_barrier();	/* pairs with GetNewTransactionId */
				memcpy(snapcache_subxip + header.subxcnt, (void *) allProcs[pgprocno].subxids.xids,
					   nxids * sizeof(TransactionId));
				header.subxcnt += nxids;
			}
		}
	}
	else
	{
		header.subxcnt = KnownAssignedXidsGetAndSetXmin(snapcache_subxip, &header.xmin, header.xmax);
		header.recovery_overflowed =
			TransactionIdPrecedesOrEquals(header.xmin, procArray->lastOverflowedXid);
	}

	if (TransactionIdPrecedes(header.xmin, oldest))
		oldest = header.xmin;
	SnapshotCacheWindow();
	cache->header = header;
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
SnapshotCacheCopyWithoutOwn(Snapshot snapshot, const SnapshotCacheHeader *header)
{
	TransactionId own = SnapshotCacheMutant("own_xid") ? InvalidTransactionId : snapscope_own_xid;
	uint32		nown = MyPgXact->nxids;
	uint32		count = 0;
	uint32		subcount = 0;

	for (uint32 i = 0; i < header->xcnt; i++)
	{
		TransactionId xid = snapcache_xip[i];

		if (xid != own)
			snapshot->xip[count++] = xid;
	}
	snapshot->xcnt = count;

	if (SnapshotCacheMutant("own_subxids"))
		nown = 0;
	for (uint32 i = 0; i < header->subxcnt; i++)
	{
		uint32		same = 0;

		while (same < nown && i + same < header->subxcnt &&
			   snapcache_subxip[i + same] == MyProc->subxids.xids[same])
			same++;
		if (same > 0)
		{
			uint32		rest = header->subxcnt - i - same;

			memcpy(snapshot->subxip + subcount, snapcache_subxip + i + same, rest * sizeof(TransactionId));
			subcount += rest;
			break;
		}
		snapshot->subxip[subcount++] = snapcache_subxip[i];
	}
	snapshot->subxcnt = subcount;
}

/* Fills everything of SNAPSHOT that depends on who is running. */
static inline void
SnapshotCacheCopy(Snapshot snapshot, const SnapshotCacheHeader *header)
{
	int32		overflowed_procno = header->overflowed_procno;

	snapshot->xmin = header->xmin;
	snapshot->xmax = header->xmax;
	snapshot->takenDuringRecovery = header->recovery;

	/* An own xid at or past xmax was assigned after the build. */
	if (unlikely(TransactionIdIsNormal(snapscope_own_xid) &&
				 NormalTransactionIdPrecedes(snapscope_own_xid, header->xmax)))
	{
		SnapshotCacheCopyWithoutOwn(snapshot, header);
		if (overflowed_procno == MyProc->pgprocno)
			overflowed_procno = SNAPCACHE_OVERFLOWED_NOBODY;
	}
	else
	{
		if (header->xcnt > 0)
			memcpy(snapshot->xip, snapcache_xip, header->xcnt * sizeof(TransactionId));
		if (header->subxcnt > 0)
			memcpy(snapshot->subxip, snapcache_subxip, header->subxcnt * sizeof(TransactionId));
		snapshot->xcnt = header->xcnt;
		snapshot->subxcnt = header->subxcnt;
	}
	snapshot->suboverflowed =
		overflowed_procno != SNAPCACHE_OVERFLOWED_NOBODY || header->recovery_overflowed;
}

static inline void
SnapshotCacheTraceCopy(SnapshotCacheTrace *trace, Snapshot snapshot, const SnapshotCacheHeader *header)
{
	trace->copied_xids = snapshot->xcnt;
	trace->copied_subxids = snapshot->subxcnt;
	trace->own_dropped = header->xcnt - snapshot->xcnt + header->subxcnt - snapshot->subxcnt;
	trace->copy_lines = 1 + SnapshotCacheLinesOf(header->xcnt) + SnapshotCacheLinesOf(header->subxcnt);
}

/* What GetSnapshotData() does with its results once the lock is released. */
static inline void
SnapshotCacheFinish(Snapshot snapshot, TransactionId oldest,
					TransactionId slot_xmin, TransactionId slot_catalog_xmin)
{
	TransactionId horizon = oldest - vacuum_defer_cleanup_age;

	if (unlikely(!TransactionIdIsNormal(horizon)))
		horizon = FirstNormalTransactionId;
	if (unlikely(TransactionIdIsValid(slot_xmin)) &&
		NormalTransactionIdPrecedes(slot_xmin, horizon))
		horizon = slot_xmin;
	RecentGlobalDataXmin = horizon;
	if (unlikely(TransactionIdIsNormal(slot_catalog_xmin)) &&
		NormalTransactionIdPrecedes(slot_catalog_xmin, horizon))
		horizon = slot_catalog_xmin;
	RecentGlobalXmin = horizon;
	RecentXmin = snapshot->xmin;

	snapshot->curcid = GetCurrentCommandId(false);
	snapshot->active_count = 0;
	snapshot->regd_count = 0;
	snapshot->copied = false;
	if (likely(old_snapshot_threshold < 0))
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
#include "snapcache_locked.c"
#include "snapcache_lockfree.c"
