/*
 * snapcache_horizon.c
 *	  The horizon half of the shared snapshot: the oldest xmin that anybody holds.
 *
 * Part of snapcache.c.  It changes without any lock; DESIGN.md says how its
 * age is bounded and why a barrier is needed where there is one.
 */

/* Bound on the age of a cached horizon, in statement time. */
#define SNAPSHOT_HORIZON_MAX_AGE_US	INT64CONST(1000000)

#define SNAPCACHE_HORIZON_XMIN(word)	((TransactionId) (word))
#define SNAPCACHE_HORIZON_EPOCH(word)	((uint32) ((word) >> 32))
#define SNAPCACHE_HORIZON(epoch, xmin)	(((uint64) (epoch) << 32) | (xmin))

/*
 * This backend no longer holds BEFORE.  The barrier pairs with the one between
 * a builder's claim and its reading of xmins: either the builder sees the new
 * xmin, or this sees the builder.
 */
pg_noinline void
SnapshotCacheXminLeftSlow(TransactionId before)
{
	uint64		state;

	if (!TransactionIdIsNormal(before))
		return;

	pg_memory_barrier();
	state = pg_atomic_read_u64(&SnapshotCache->generation) & SNAPCACHE_STATE_MASK;

	if (state == SNAPCACHE_VALID)
	{
		TransactionId held = SNAPCACHE_HORIZON_XMIN(pg_atomic_read_u64(&SnapshotCache->horizon));

		/* In read-only load every xmin is the copy's own: nothing to gain. */
		if (before != held ||
			!TransactionIdPrecedes(before, *(volatile TransactionId *) &SnapshotCache->xmin))
			return;
	}
	else if (state != SNAPCACHE_BUILDING)
		return;

	pg_atomic_fetch_add_u32(&SnapshotCache->epoch, 1);
}

pg_noinline void
SnapshotCacheHorizonLoweredSlow(void)
{
	pg_atomic_fetch_add_u32(&SnapshotCache->epoch, 1);
}

/*
 * The oldest xmin that any backend holds, or XMAX where none is older.  Reads
 * the same entries that the stock scan reads for it.
 */
static TransactionId
SnapshotCacheScanXmins(TransactionId xmax)
{
	TransactionId oldest = xmax;
	int			numProcs = procArray->numProcs;

	for (int index = 0; index < numProcs; index++)
	{
		PGXACT	   *pgxact = &allPgXact[procArray->pgprocnos[index]];
		TransactionId xmin;

		if (pgxact->vacuumFlags & (PROC_IN_LOGICAL_DECODING | PROC_IN_VACUUM))
			continue;
		xmin = UINT32_ACCESS_ONCE(pgxact->xmin);
		if (TransactionIdIsNormal(xmin) && NormalTransactionIdPrecedes(xmin, oldest))
			oldest = xmin;
	}
	return oldest;
}

/*
 * The horizon of a valid copy, computed anew where it may have become stale.
 * ProcArrayLock is held shared.
 */
static TransactionId
SnapshotCacheHorizon(SnapshotCacheTrace *trace)
{
	uint64		word = pg_atomic_read_u64(&SnapshotCache->horizon);
	uint32		epoch = pg_atomic_read_u32(&SnapshotCache->epoch);
	TransactionId oldest = SNAPCACHE_HORIZON_XMIN(word);

	if (likely(SNAPCACHE_HORIZON_EPOCH(word) == epoch))
	{
		uint64		computed;
		uint64		now;

		/* As new as it can be, unless somebody lowers it, which bumps the epoch. */
		if (likely(!TransactionIdPrecedes(oldest, SnapshotCache->xmin)))
			return oldest;

		computed = pg_atomic_read_u64(&SnapshotCache->horizon_time);
		now = (uint64) GetCurrentStatementStartTimestamp();
		if ((int64) (now - computed) < SNAPSHOT_HORIZON_MAX_AGE_US)
			return oldest;
		/* One of those who find it too old looks; the rest go on with it. */
		if (!pg_atomic_compare_exchange_u64(&SnapshotCache->horizon_time, &computed, now))
			return oldest;
	}

	/* The epoch was read before, so who leaves during the scan is not missed. */
	pg_memory_barrier();
	oldest = SnapshotCacheScanXmins(SnapshotCache->xmax);
	if (TransactionIdPrecedes(SnapshotCache->xmin, oldest))
		oldest = SnapshotCache->xmin;
	pg_atomic_compare_exchange_u64(&SnapshotCache->horizon, &word, SNAPCACHE_HORIZON(epoch, oldest));
	trace->refreshed = true;
	trace->horizon = oldest;
	trace->scan_lines = procArray->hotLines;
	return oldest;
}
