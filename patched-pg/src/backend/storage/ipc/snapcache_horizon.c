/*
 * snapcache_horizon.c
 *	  The horizon half of the shared snapshot: the oldest xmin that anybody holds.
 *
 * Part of snapcache.c.  It changes without any lock; DESIGN.md says how its
 * age is bounded and why a barrier is needed where there is one.
 */

#define SNAPCACHE_HORIZON_XMIN(word)	((TransactionId) (word))
#define SNAPCACHE_HORIZON_EPOCH(word)	((uint32) ((word) >> 32))
#define SNAPCACHE_HORIZON(epoch, xmin)	(((uint64) (epoch) << 32) | (xmin))

/*
 * When this backend's statement began, or the transaction within it, where a
 * procedure commits: as late a time as can be had without reading a clock.
 */
static inline TimestampTz
SnapshotCacheStatementTime(void)
{
	return Max(GetCurrentStatementStartTimestamp(), GetCurrentTransactionStartTimestamp());
}

/*
 * True once the cached horizon has stood for snapshot_horizon_max_age.  Never
 * where that is 0, "exact": there each holder that leaves says so.
 *
 * A clock is read only by a statement that began before the horizon was
 * computed, or by a process that has no statement.  If the horizon is of the
 * future even so, the clock was set back, and nothing is known of its age.
 */
static pg_noinline bool
SnapshotCacheHorizonAged(uint64 computed)
{
	int64		age = SnapshotCacheStatementTime() - (TimestampTz) computed;

	if (snapshot_horizon_max_age == 0)
		return false;
	if (age < 0)
		age = GetCurrentTimestamp() - (TimestampTz) computed;
	return age < 0 || age >= snapshot_horizon_max_age * INT64CONST(1000);
}

/*
 * This backend no longer holds BEFORE; the cached horizon may rise.  Readers
 * look again when it has aged, so a bump is needed only to spare them waiting
 * for a copy that already has.
 */
static pg_noinline void
SnapshotCacheHolderLeft(TransactionId before)
{
	SnapshotCacheData *cache = SnapshotCache;
	TransactionId copied_xmin = *(volatile TransactionId *) &cache->header.xmin;

	/* In read-only load every xmin is the copy's own: nothing to gain. */
	if (!TransactionIdPrecedes(before, copied_xmin) ||
		before != SNAPCACHE_HORIZON_XMIN(SnapshotCacheLoad(&cache->horizon)) ||
		!SnapshotCacheHorizonAged(SnapshotCacheLoad(&cache->horizon_time)))
		return;
	pg_atomic_fetch_add_u32(&cache->epoch, 1);
}

/*
 * The same without any delay.  The barrier pairs with the one between a
 * builder's claim and its reading of xmins: either the builder sees the new
 * xmin, or this sees the builder.  What the cached horizon says is not asked
 * for, since a refresh may be replacing it.
 */
static pg_noinline void
SnapshotCacheHolderLeftExactly(TransactionId before)
{
	SnapshotCacheData *cache = SnapshotCache;
	uint64		state;

	if (!SnapshotCacheMutant("leave_barrier"))
		pg_memory_barrier();
	state = SnapshotCacheLoad(&cache->generation) & SNAPCACHE_STATE_MASK;
	pg_read_barrier();			/* pairs with the builder's write barrier */
	if (state == SNAPCACHE_BUILDING ||
		(state == SNAPCACHE_VALID &&
		 TransactionIdPrecedes(before, *(volatile TransactionId *) &cache->header.xmin)))
		pg_atomic_fetch_add_u32(&cache->epoch, 1);
}

void
SnapshotCacheXminLeftSlow(TransactionId before)
{
	if (!TransactionIdIsNormal(before) || SnapshotCacheMutant("holder_leaves"))
		return;
	if (likely(snapshot_horizon_max_age > 0))
		SnapshotCacheHolderLeft(before);
	else
		SnapshotCacheHolderLeftExactly(before);
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
 * The horizon of a copy with this XMIN, where it need not be computed anew:
 * nobody said that it changed, and it is either as new as it can be or young.
 */
static inline bool
SnapshotCacheHorizonKnown(TransactionId xmin, TransactionId *oldest)
{
	uint64		word = SnapshotCacheLoad(&SnapshotCache->horizon);

	*oldest = SNAPCACHE_HORIZON_XMIN(word);
	if (unlikely(SNAPCACHE_HORIZON_EPOCH(word) != pg_atomic_read_u32(&SnapshotCache->epoch)))
		return false;
	return likely(!NormalTransactionIdPrecedes(*oldest, xmin)) ||
		!SnapshotCacheHorizonAged(SnapshotCacheLoad(&SnapshotCache->horizon_time));
}

/*
 * The horizon of a valid copy, computed anew where it may have become stale.
 * ProcArrayLock is held shared.
 */
static TransactionId
SnapshotCacheHorizon(SnapshotCacheTrace *trace)
{
	SnapshotCacheData *cache = SnapshotCache;
	uint64		word = SnapshotCacheLoad(&cache->horizon);
	uint64		computed = SnapshotCacheLoad(&cache->horizon_time);
	uint32		epoch = pg_atomic_read_u32(&cache->epoch);
	TransactionId oldest = SNAPCACHE_HORIZON_XMIN(word);
	uint64		now;

	if (likely(SnapshotCacheHorizonKnown(cache->header.xmin, &oldest)))
		return oldest;
	/* Where every entry is read, a clock may be read, too. */
	now = (uint64) GetCurrentTimestamp();
	/* One of those who find it too old looks; the rest go on with it. */
	if (SNAPCACHE_HORIZON_EPOCH(word) == epoch &&
		!pg_atomic_compare_exchange_u64(&cache->horizon_time, &computed, now))
		return oldest;

	/* The epoch was read before, so who leaves during the scan is not missed. */
	pg_memory_barrier();
	oldest = SnapshotCacheScanXmins(cache->header.xmax);
	SnapshotCacheWindow();
	if (TransactionIdPrecedes(cache->header.xmin, oldest))
		oldest = cache->header.xmin;
	pg_atomic_write_u64(&cache->horizon_time, now);
	pg_atomic_compare_exchange_u64(&cache->horizon, &word, SNAPCACHE_HORIZON(epoch, oldest));
	trace->refreshed = true;
	trace->horizon = oldest;
	trace->scan_lines = procArray->hotLines;
	return oldest;
}
