/*
 * snapcache_copy.c
 *	  From the shared copy into a snapshot, and what GetSnapshotData() sets beside it.
 *
 * Part of snapcache.c.
 */

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
	TransactionId own = SnapshotCacheMutant("own_xid") ? InvalidTransactionId : snapcache_own_xid;
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
	if (unlikely(TransactionIdIsNormal(snapcache_own_xid) &&
				 NormalTransactionIdPrecedes(snapcache_own_xid, header->xmax)))
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
