/*
 * snapcache_own.c
 *	  The own PGXACT entry: what it holds, and what follows when that changes.
 *
 * Part of snapcache.c.  All of this is called without a lock, after the store to
 * the entry.
 */

TransactionId snapcache_own_xid = InvalidTransactionId;
TransactionId snapcache_own_xmin = InvalidTransactionId;

void
SnapshotCacheXidAssigned(TransactionId xid, bool subxact)
{
	if (!subxact)
		snapcache_own_xid = xid;
	SnapScopeXidAssigned(xid, subxact);
}

/* The entry was cleared at the end of a transaction. */
void
SnapshotCacheTransactionEnd(void)
{
	TransactionId xid = snapcache_own_xid;
	TransactionId xmin = snapcache_own_xmin;

	snapcache_own_xid = snapcache_own_xmin = InvalidTransactionId;
	SnapScopeTransactionEnd(xid, xmin);
}

/*
 * Own xmin has become AFTER, other than by a snapshot or by the end of a
 * transaction.  It was cleared or advanced: whoever computed a horizon from it
 * may compute it anew.
 */
void
SnapshotCacheXminMoved(TransactionId after)
{
	TransactionId before = snapcache_own_xmin;

	snapcache_own_xmin = after;
	if (before == after)
		return;
	SnapshotCacheXminLeft(before);
	SnapScopeXminMoved(before, after);
}

/* The same where it may now be older than a horizon already computed. */
void
SnapshotCacheXminLowered(TransactionId after)
{
	if (SnapshotCache != NULL && !SnapshotCacheMutant("horizon_lowered"))
		pg_atomic_fetch_add_u32(&SnapshotCache->epoch, 1);
	SnapshotCacheXminMoved(after);
}

/* The entry was cleared after PREPARE: another one stands for the transaction. */
void
SnapshotCachePrepared(void)
{
	snapcache_own_xid = InvalidTransactionId;
	SnapshotCacheXminMoved(InvalidTransactionId);
}
