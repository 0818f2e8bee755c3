/*
 * snapcache_lockfree.c
 *	  Serving a snapshot from a valid copy without ProcArrayLock.
 *
 * Part of snapcache.c.  DESIGN.md has the argument, model/ checks the protocol.
 * In short: a snapshot is accepted only if the generation that was read first
 * still stands at the end.  It is then what the stock scan would have returned
 * at the instant of that second look, with its xmin published a little early.
 * Nothing between publication and the second look may raise an error, allocate
 * or check for interrupts.
 */

/* After so many copies that were wiped while they were read, the lock is taken. */
#define SNAPCACHE_TRIES		3

/*
 * Snapshots that still hold what a generation gave them, by the static struct
 * that the caller fills: with the same generation and the same own xid there is
 * nothing to copy.
 */
#define SNAPCACHE_KEPT		4

typedef struct SnapshotCacheKept
{
	Snapshot	snapshot;
	uint64		generation;		/* a valid one, or SNAPCACHE_INVALID */
	TransactionId own_xid;
} SnapshotCacheKept;

static SnapshotCacheKept snapcache_kept[SNAPCACHE_KEPT];

/* Does SNAPSHOT hold what GENERATION, a valid one, would give it? */
static inline bool
SnapshotCacheIsKept(Snapshot snapshot, uint64 generation)
{
	for (int i = 0; i < SNAPCACHE_KEPT; i++)
	{
		if (snapcache_kept[i].snapshot == snapshot)
			return snapcache_kept[i].generation == generation &&
				snapcache_kept[i].own_xid == snapcache_own_xid;
	}
	return false;
}

static void
SnapshotCacheKeep(Snapshot snapshot, uint64 generation)
{
	static int	victim = 0;
	int			i = 0;

	while (i < SNAPCACHE_KEPT && snapcache_kept[i].snapshot != snapshot)
		i++;
	if (i == SNAPCACHE_KEPT)
		i = victim++ % SNAPCACHE_KEPT;
	snapcache_kept[i].snapshot = snapshot;
	snapcache_kept[i].generation = generation;
	snapcache_kept[i].own_xid = snapcache_own_xid;
}

/* SNAPSHOT is about to hold something else than what a generation gave it. */
void
SnapshotCacheForget(Snapshot snapshot)
{
	if (SnapshotCacheMutant("forget"))
		return;
	for (int i = 0; i < SNAPCACHE_KEPT; i++)
	{
		if (snapcache_kept[i].snapshot == snapshot)
			snapcache_kept[i].generation = SNAPCACHE_INVALID;
	}
}

/*
 * XMIN was published for a snapshot that is not to be.  A builder may have
 * taken it for the horizon meanwhile, so this counts as a holder that leaves.
 */
static pg_noinline void
SnapshotCacheRetract(TransactionId xmin)
{
	((volatile PGXACT *) MyPgXact)->xmin = InvalidTransactionId;
	if (unlikely(snapshot_cache_verify))
		SnapshotCacheVerifyPrimary();
	if (!SnapshotCacheMutant("retract_leaves"))
		SnapshotCacheXminLeftSlow(xmin);
}

typedef enum SnapshotCacheReading
{
	READ_ACCEPTED,
	READ_WIPED,					/* somebody invalidated the copy meanwhile */
	READ_NEEDS_LOCK				/* to look at every xmin, or for recovery's sake */
} SnapshotCacheReading;

/*
 * The protocol.  GENERATION was read and is valid.  KEPT: SNAPSHOT holds what it
 * would give, so there is nothing to copy.  Unless accepted, nothing was done.
 */
static pg_attribute_always_inline SnapshotCacheReading
SnapshotCacheRead(Snapshot snapshot, uint64 generation, bool kept, SnapshotCacheHeader *header)
{
	SnapshotCacheData *cache = SnapshotCache;
	const volatile SnapshotCacheHeader *shared = &cache->header;
	bool		publish = !TransactionIdIsValid(snapcache_own_xmin);
	TransactionId oldest;
	bool		known;
	bool		stands;

	pg_read_barrier();			/* pairs with the builder's write barrier */

	/*
	 * On a standby the startup process waits for each transaction whose xmin it
	 * finds in its way, also when that xmin is retracted a moment later: nothing
	 * of a copy taken in recovery may be published without the lock.  Nothing is
	 * kept of one.  The tag goes from true to false alone, once and for all.
	 */
	if (!kept && unlikely(shared->recovery) && !SnapshotCacheMutant("lockfree_in_recovery"))
		return READ_NEEDS_LOCK;
	SnapshotCacheWindow();
	header->xmin = kept ? snapshot->xmin : shared->xmin;
	if (publish && !SnapshotCacheMutant("early_publication"))
	{
		((volatile PGXACT *) MyPgXact)->xmin = header->xmin;
		SnapshotCacheWindow();
		SnapshotCachePause("published");
		/* Who misses this xmin moved nothing that the second look would miss. */
		if (!SnapshotCacheMutant("publish_barrier"))
			pg_memory_barrier();
	}

	known = SnapshotCacheHorizonKnown(header->xmin, &oldest);
	header->slot_xmin = shared->slot_xmin;
	header->slot_catalog_xmin = shared->slot_catalog_xmin;
	if (!kept)
	{
		header->xmax = shared->xmax;
		header->xcnt = shared->xcnt;
		header->subxcnt = shared->subxcnt;
		header->overflowed_procno = shared->overflowed_procno;
		header->recovery = false;
		header->recovery_overflowed = false;
		known = known && !SnapshotCacheMutant("lockfree_in_recovery");
		SnapshotCacheCopy(snapshot, header);
	}
	SnapshotCacheWindow();

	pg_read_barrier();			/* all of it was read before this second look */
	stands = SnapshotCacheLoad(&cache->generation) == generation || SnapshotCacheMutant("second_look");
	if (unlikely(!stands || !known))
	{
		if (publish)
			SnapshotCacheRetract(header->xmin);
		return stands ? READ_NEEDS_LOCK : READ_WIPED;
	}

	if (publish)
	{
		if (SnapshotCacheMutant("early_publication"))
		{
			SnapshotCacheWindow();
			((volatile PGXACT *) MyPgXact)->xmin = header->xmin;
		}
		TransactionXmin = snapcache_own_xmin = header->xmin;
	}
	if (unlikely(snapshot_cache_verify))
		SnapshotCacheVerifyLockFree(snapshot, generation, oldest);
	SnapshotCacheFinish(snapshot, oldest, header->slot_xmin, header->slot_catalog_xmin);
	return READ_ACCEPTED;
}

/* False: no valid copy, or none that could be read in peace; nothing was done. */
static bool
SnapshotCacheGetLockFree(Snapshot snapshot, SnapshotCacheTrace *trace)
{
	for (int try = 0; try < SNAPCACHE_TRIES; try++)
	{
		uint64		generation = SnapshotCacheLoad(&SnapshotCache->generation);
		bool		kept = SnapshotCacheIsKept(snapshot, generation);
		SnapshotCacheHeader header;
		SnapshotCacheReading reading;

		if ((generation & SNAPCACHE_STATE_MASK) != SNAPCACHE_VALID)
			return false;
		if (!kept)
			SnapshotCacheForget(snapshot);
		reading = SnapshotCacheRead(snapshot, generation, kept, &header);
		if (reading == READ_NEEDS_LOCK)
			return false;
		if (reading == READ_ACCEPTED)
		{
			trace->outcome = SNAPSCOPE_OUTCOME_REUSED;
			trace->lockfree = !kept;
			trace->kept = kept;
			if (!kept)
			{
				SnapshotCacheKeep(snapshot, generation);
				trace->generation = generation >> 2;
				SnapshotCacheTraceCopy(trace, snapshot, &header);
			}
			return true;
		}
		trace->retries++;
	}
	return false;
}

/*
 * The hot path of mode lockfree, while nobody listens: nothing is counted but
 * the credit spent.  What cannot be had so easily goes the long way.
 */
pg_noinline Snapshot
SnapshotCacheTake(Snapshot snapshot)
{
	/* First of all: what was filled in this place before may be remembered. */
	if (unlikely(snapshot->xip == NULL))
		SnapshotCacheAllocate(snapshot);
	if (likely(snapscope_kept_credit > 0))
	{
		uint64		generation = SnapshotCacheLoad(&SnapshotCache->generation);
		SnapshotCacheHeader header;

		/* Kept is kept of a valid one. */
		if (likely(SnapshotCacheIsKept(snapshot, generation)) &&
			likely(SnapshotCacheRead(snapshot, generation, true, &header) == READ_ACCEPTED))
		{
			snapscope_kept_credit--;
			return snapshot;
		}
	}
	return SnapScopeGetSnapshot(snapshot);
}

pg_noinline bool
SnapshotCacheGet(Snapshot snapshot, SnapshotCacheTrace *trace)
{
	if (unlikely(snapshot_cache_verify))
		SnapshotCacheVerifyPrepare();
	if (snapshot_cache == SNAPSCOPE_MODE_LOCKFREE)
	{
		if (likely(SnapshotCacheGetLockFree(snapshot, trace)))
			return true;
		/* Whoever fills it next, it is not from where it was remembered. */
		SnapshotCacheForget(snapshot);
	}
	return SnapshotCacheGetLocked(snapshot, trace);
}
