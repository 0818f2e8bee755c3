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
 *	  exclusive ProcArrayLock.  Whoever changes it wipes the copy.  A copier
 *	  holds the lock shared from the check of validity until its own xmin is
 *	  published, or, without the lock, publishes first and then checks again.
 *	- The horizon half, the oldest xmin that anybody holds, changes without any
 *	  lock.  It may be too old for a while (that costs pruning, not rows), for
 *	  no longer than snapshot_horizon_max_age.
 *
 * The steps, a file each: build, copy, serve under the lock, serve without it,
 * the horizon, the own entry, and the verification.
 */
#include "snapscope/probes/ticks.h"
#include "replication/walsender.h"
#include "storage/snapcache.h"
#include "utils/timestamp.h"

/* generation: counter << 2 | state; the counter moves with each wipe */
#define SNAPCACHE_STATE_MASK	UINT64CONST(3)
#define SNAPCACHE_INVALID		UINT64CONST(0)
#define SNAPCACHE_BUILDING		UINT64CONST(1)
#define SNAPCACHE_VALID			UINT64CONST(2)
#define SNAPCACHE_COUNTER_STEP	UINT64CONST(4)

#define SNAPCACHE_LINE_BYTES	64
#define SNAPCACHE_HEADER_BYTES	TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(SnapshotCacheData))

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

/*
 * One load of a word of the header, whole.  The ports for aarch64 do not say
 * that a load is: there pg_atomic_read_u64() is an exchange with what stands
 * there, which would take the line from all other readers.  Aligned loads of 8
 * bytes are whole in that architecture.
 */
static inline uint64
SnapshotCacheLoad(pg_atomic_uint64 *word)
{
#ifdef __aarch64__
	return *(volatile uint64 *) &word->value;
#else
	return pg_atomic_read_u64(word);
#endif
}

#define SNAPCACHE_XIP_BYTES \
	TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(TransactionId) * PROCARRAY_MAXPROCS)
#define SNAPCACHE_SUBXIP_BYTES \
	(sizeof(TransactionId) * (Size) TOTAL_MAX_CACHED_SUBXIDS)

#ifndef StaticAssertDecl			/* 12 has none outside of functions */
#define StaticAssertDecl(condition, errmessage) _Static_assert(condition, errmessage)
#endif

/* A simulated atomic carries a lock of its own: there it is not one line, and is slow anyhow. */
#ifndef PG_HAVE_ATOMIC_U64_SIMULATION
StaticAssertDecl(offsetof(SnapshotCacheData, handed_out) == SNAPCACHE_LINE_BYTES,
				 "the header of the shared snapshot must fit one cache line");
#endif

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
	/* Between two that share its line, it adds none. */
	return last < first ? 0 : (int) (last + 1 - first);
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
	uint64		generation = SnapshotCacheLoad(&SnapshotCache->generation);

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
#include "snapcache_own.c"

#include "snapcache_build.c"
#include "snapcache_copy.c"
#include "snapcache_verify.c"
#include "snapcache_locked.c"
#include "snapcache_lockfree.c"
