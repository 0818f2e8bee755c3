/*
 * snapcache_locked.c
 *	  Serving a snapshot from the copy under shared ProcArrayLock.
 *
 * Part of snapcache.c.  Modes copy and spin, and mode lockfree where there is
 * no valid copy to be had without the lock.
 */

/*
 * How often one that lost the race to build looks again: about as long as a
 * build takes, since it walks the entries at a few nanoseconds each and a pause
 * takes some tens.  It holds ProcArrayLock shared meanwhile, so a committer
 * waits no longer for it than for a scan of its own.
 */
#define SNAPCACHE_SPINS(numProcs)	Min(64 + (numProcs) / 8, 1000)

static inline uint64
SnapshotCacheTicks(const SnapshotCacheTrace *trace)
{
	uint16		cpu;

	return trace->timed ? snapscope_ticks(snapscope_clock, &cpu) : 0;
}

static pg_noinline void
SnapshotCacheWaitForLock(SnapshotCacheTrace *trace)
{
	uint64		start = SnapshotCacheTicks(trace);

	LWLockAcquire(ProcArrayLock, LW_SHARED);
	trace->waited |= SNAPSCOPE_WAIT_LOCK;
	trace->lock_ticks = SnapshotCacheTicks(trace) - start;
}

/* Pauses while another backend builds, a bounded number of times; the generation in the end. */
static pg_noinline uint64
SnapshotCacheSpin(SnapshotCacheTrace *trace)
{
	uint64		start = SnapshotCacheTicks(trace);
	uint32		limit = SNAPCACHE_SPINS(procArray->numProcs);
	uint64		generation;

	do
	{
		SPIN_DELAY();
		generation = SnapshotCacheLoad(&SnapshotCache->generation);
	} while ((++trace->spins < limit || SnapshotCacheMutant("spin_gives_up")) &&
			 (generation & SNAPCACHE_STATE_MASK) == SNAPCACHE_BUILDING);

	trace->waited |= SNAPSCOPE_WAIT_BUILDER;
	trace->gave_up = (generation & SNAPCACHE_STATE_MASK) == SNAPCACHE_BUILDING;
	trace->spin_ticks = SnapshotCacheTicks(trace) - start;
	return generation;
}

/*
 * Makes the copy valid, or finds that another backend has.  False: another one
 * is still building.
 */
static pg_noinline bool
SnapshotCacheRefill(uint64 generation, SnapshotCacheTrace *trace)
{
	SnapshotCacheData *cache = SnapshotCache;
	uint64		start = SnapshotCacheTicks(trace);

	if ((generation & SNAPCACHE_STATE_MASK) == SNAPCACHE_INVALID &&
		pg_atomic_compare_exchange_u64(&cache->generation, &generation,
									   (generation & ~SNAPCACHE_STATE_MASK) | SNAPCACHE_BUILDING))
	{
		SnapshotCacheBuild();
		if (!SnapshotCacheMutant("build_barrier"))
			pg_write_barrier();	/* pairs with the read barriers of whoever finds it valid */
		pg_atomic_write_u64(&cache->generation,
							(generation & ~SNAPCACHE_STATE_MASK) | SNAPCACHE_VALID);
		trace->outcome = SNAPSCOPE_OUTCOME_REBUILT;
		trace->scan_lines = cache->header.recovery ? 0 : procArray->hotLines;
		trace->build_ticks = SnapshotCacheTicks(trace) - start;
		return true;
	}
	/* The exchange has left in GENERATION what it found. */
	if (snapshot_cache == SNAPSCOPE_MODE_SPIN &&
		(generation & SNAPCACHE_STATE_MASK) == SNAPCACHE_BUILDING)
		generation = SnapshotCacheSpin(trace);
	return (generation & SNAPCACHE_STATE_MASK) == SNAPCACHE_VALID;
}

/* False: another backend builds, or the copy is of the other side of a promotion. */
static bool
SnapshotCacheGetLocked(Snapshot snapshot, SnapshotCacheTrace *trace)
{
	SnapshotCacheData *cache = SnapshotCache;
	const SnapshotCacheHeader *header = &cache->header;
	TransactionId oldest;
	TransactionId slot_xmin;
	TransactionId slot_catalog_xmin;
	uint64		generation;

	trace->outcome = SNAPSCOPE_OUTCOME_REUSED;

	if (unlikely(!LWLockConditionalAcquire(ProcArrayLock, LW_SHARED)))
		SnapshotCacheWaitForLock(trace);

	generation = SnapshotCacheLoad(&cache->generation);
	if (unlikely((generation & SNAPCACHE_STATE_MASK) != SNAPCACHE_VALID) &&
		!SnapshotCacheRefill(generation, trace))
	{
		LWLockRelease(ProcArrayLock);
		return false;
	}
	pg_read_barrier();			/* pairs with the builder's write barrier */

	/* Promotion: the source of running xids has changed, the wipe is on its way. */
	if (unlikely(header->recovery) && !SnapScopeRecoveryInProgress() &&
		!SnapshotCacheMutant("recovery_tag"))
	{
		LWLockRelease(ProcArrayLock);
		return false;
	}
	trace->generation = generation >> 2;

	SnapshotCacheCopy(snapshot, header);
	SnapshotCacheTraceCopy(trace, snapshot, header);
	/* In recovery the horizon is that of the known-assigned xids. */
	oldest = unlikely(header->recovery) ? header->xmin : SnapshotCacheHorizon(trace);
	slot_xmin = header->slot_xmin;
	slot_catalog_xmin = header->slot_catalog_xmin;

	if (!TransactionIdIsValid(snapcache_own_xmin))
		MyPgXact->xmin = TransactionXmin = snapcache_own_xmin = snapshot->xmin;

	if (unlikely(snapshot_cache_verify))
		SnapshotCacheVerify(snapshot, oldest);

	LWLockRelease(ProcArrayLock);

	SnapshotCacheFinish(snapshot, oldest, slot_xmin, slot_catalog_xmin);
	return true;
}
