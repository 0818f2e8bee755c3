/*
 * snapcache_verify.c
 *	  snapshot_cache_verify: each snapshot from the copy against a fresh scan.
 *
 * Part of snapcache.c.  The comparison is made under the same hold of
 * ProcArrayLock that served the snapshot, so nothing that matters can have
 * changed in between, and any difference is a fault of the cache: PANIC.
 */

static TransactionId *verify_xip = NULL;
static TransactionId *verify_subxip = NULL;
static TransactionId *verify_scratch = NULL;

/* Allocates, which must not be done while the lock is held. */
static pg_noinline void
SnapshotCacheVerifyPrepare(void)
{
	if (verify_xip != NULL)
		return;
	verify_subxip = malloc(sizeof(TransactionId) * (Size) TOTAL_MAX_CACHED_SUBXIDS);
	verify_scratch = malloc(sizeof(TransactionId) * (Size) TOTAL_MAX_CACHED_SUBXIDS);
	verify_xip = malloc(sizeof(TransactionId) * PROCARRAY_MAXPROCS);
	if (verify_xip == NULL || verify_subxip == NULL || verify_scratch == NULL)
		ereport(FATAL,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
}

static int
SnapshotCacheCompareXids(const void *a, const void *b)
{
	TransactionId x = *(const TransactionId *) a;
	TransactionId y = *(const TransactionId *) b;

	return x < y ? -1 : x > y;
}

/* Sorts, drops duplicates and what is not below XMAX; returns the new length. */
static uint32
SnapshotCacheAsSet(TransactionId *xids, uint32 count, TransactionId xmax)
{
	uint32		kept = 0;

	qsort(xids, count, sizeof(TransactionId), SnapshotCacheCompareXids);
	for (uint32 i = 0; i < count; i++)
	{
		if (TransactionIdPrecedes(xids[i], xmax) && (kept == 0 || xids[kept - 1] != xids[i]))
			xids[kept++] = xids[i];
	}
	return kept;
}

static void
SnapshotCacheVerifySet(const char *what, const TransactionId *served, uint32 nserved,
					   TransactionId *fresh, uint32 nfresh, TransactionId xmax)
{
	memcpy(verify_scratch, served, nserved * sizeof(TransactionId));
	nserved = SnapshotCacheAsSet(verify_scratch, nserved, xmax);
	nfresh = SnapshotCacheAsSet(fresh, nfresh, xmax);
	if (nserved != nfresh || memcmp(verify_scratch, fresh, nfresh * sizeof(TransactionId)) != 0)
		elog(PANIC, "snapshot cache: %s differs from a fresh scan: %u xids served, %u running",
			 what, nserved, nfresh);
}

/*
 * SNAPSHOT was served from the copy and its xmin is published; OLDEST is the
 * horizon that goes with it.  ProcArrayLock is held shared.
 */
static pg_noinline void
SnapshotCacheVerify(Snapshot snapshot, TransactionId oldest)
{
	TransactionId xmax = ShmemVariableCache->latestCompletedXid;
	TransactionId xmin;
	TransactionId fresh_oldest;
	uint32		epoch = pg_atomic_read_u32(&SnapshotCache->epoch);
	uint32		xcnt = 0;
	uint32		subxcnt = 0;
	bool		overflowed = false;

	TransactionIdAdvance(xmax);
	fresh_oldest = xmin = xmax;

	if (!snapshot->takenDuringRecovery)
	{
		for (int index = 0; index < procArray->numProcs; index++)
		{
			int			pgprocno = procArray->pgprocnos[index];
			PGXACT	   *pgxact = &allPgXact[pgprocno];
			TransactionId xid;
			int			nxids;

			if (pgxact->vacuumFlags & (PROC_IN_LOGICAL_DECODING | PROC_IN_VACUUM))
				continue;
			xid = UINT32_ACCESS_ONCE(pgxact->xmin);
			if (TransactionIdIsNormal(xid) && NormalTransactionIdPrecedes(xid, fresh_oldest))
				fresh_oldest = xid;
			xid = UINT32_ACCESS_ONCE(pgxact->xid);
			if (!TransactionIdIsNormal(xid) || !NormalTransactionIdPrecedes(xid, xmax))
				continue;
			if (NormalTransactionIdPrecedes(xid, xmin))
				xmin = xid;
			if (pgxact == MyPgXact)
				continue;
			verify_xip[xcnt++] = xid;
			overflowed |= pgxact->overflowed;
			nxids = pgxact->nxids;
			pg_read_barrier();
			memcpy(verify_subxip + subxcnt, (void *) allProcs[pgprocno].subxids.xids,
				   nxids * sizeof(TransactionId));
			subxcnt += nxids;
		}
	}
	else
	{
		subxcnt = KnownAssignedXidsGetAndSetXmin(verify_subxip, &xmin, xmax);
		overflowed = TransactionIdPrecedesOrEquals(xmin, procArray->lastOverflowedXid);
		if (overflowed != snapshot->suboverflowed)
			elog(PANIC, "snapshot cache: suboverflowed is %d in recovery, a fresh scan says %d",
				 snapshot->suboverflowed, overflowed);
	}

	if (snapshot->xmin != xmin || snapshot->xmax != xmax)
		elog(PANIC, "snapshot cache: served xmin %u xmax %u, a fresh scan says %u and %u",
			 snapshot->xmin, snapshot->xmax, xmin, xmax);
	SnapshotCacheVerifySet("xip", snapshot->xip, snapshot->xcnt, verify_xip, xcnt, xmax);

	if (snapshot->suboverflowed && !overflowed)
		elog(PANIC, "snapshot cache: suboverflowed, but no other backend's subxids overflowed");

	/* A cache that overflows later loses only subxids past xmax. */
	if (snapshot->takenDuringRecovery || (!snapshot->suboverflowed && !overflowed))
		SnapshotCacheVerifySet("subxip", snapshot->subxip, snapshot->subxcnt,
							   verify_subxip, subxcnt, xmax);

	/* Too old only costs pruning; too new would cost rows, unless it was lowered meanwhile. */
	if (TransactionIdPrecedes(xmin, fresh_oldest))
		fresh_oldest = xmin;
	if (TransactionIdPrecedes(fresh_oldest, oldest) &&
		epoch == pg_atomic_read_u32(&SnapshotCache->epoch))
		elog(LOG, "snapshot cache: horizon %u is newer than a fresh scan's %u", oldest, fresh_oldest);
}
