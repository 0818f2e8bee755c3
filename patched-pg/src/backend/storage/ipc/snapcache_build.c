/*
 * snapcache_build.c
 *	  Filling the shared copy.
 *
 * Part of snapcache.c.
 */

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

	/*
	 * The claim and the epoch before any xmin: see SnapshotCacheHolderLeftExactly().
	 * On x86-64 the claim alone would do, elsewhere an exchange need not be a barrier.
	 */
	epoch = pg_atomic_read_u32(&cache->epoch);
	pg_memory_barrier();
	SnapshotCacheWindow();
	SnapshotCachePause("building");

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
	pg_atomic_write_u64(&cache->horizon_time, (uint64) SnapshotCacheStatementTime());
	pg_atomic_write_u64(&cache->horizon, SNAPCACHE_HORIZON(epoch, oldest));
}
