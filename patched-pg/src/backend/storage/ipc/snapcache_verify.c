/*
 * snapcache_verify.c
 *	  snapshot_cache_verify: each snapshot from the copy against a fresh scan.
 *
 * Part of snapcache.c.  Any difference is a fault of the cache: PANIC.  A
 * snapshot served under ProcArrayLock is compared under the same hold of it; one
 * served without is compared under a hold taken afterwards, exactly where the
 * generation still stands, else in the one direction that can be checked.
 *
 * A horizon that is too new would cost rows.  A fresh scan cannot tell, since it
 * sees xmins that lock-free readers retract; what can be told is that no horizon
 * ever handed out is newer than the own xmin of a snapshot in use.
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

/* ---- horizons handed out ---- */

/* OLDEST, of all databases, was computed from every xmin and xid. */
pg_noinline void
SnapshotCacheNoteHorizonSlow(TransactionId oldest)
{
	uint32		newest = pg_atomic_read_u32(&SnapshotCache->handed_out);

	/* In recovery horizons may go back, with the list of known-assigned xids. */
	if (SnapScopeRecoveryInProgress())
		return;
	while (!TransactionIdIsValid(newest) || TransactionIdPrecedes(newest, oldest))
	{
		if (pg_atomic_compare_exchange_u32(&SnapshotCache->handed_out, &newest, oldest))
			break;
	}
}

/* Own xmin is published, for a snapshot that was accepted. */
static void
SnapshotCacheVerifyHandedOut(void)
{
	TransactionId newest = pg_atomic_read_u32(&SnapshotCache->handed_out);

	/* Whose xmin others skip, or who follows a standby, may be behind. */
	if (am_walsender || SnapScopeRecoveryInProgress() ||
		(MyPgXact->vacuumFlags & (PROC_IN_LOGICAL_DECODING | PROC_IN_VACUUM)) != 0)
		return;
	if (MyPgXact->xmin != snapcache_own_xmin)
		elog(PANIC, "snapshot cache: own xmin %u is not %u, as remembered", MyPgXact->xmin, snapcache_own_xmin);
	if (TransactionIdIsValid(newest) && TransactionIdPrecedes(MyPgXact->xmin, newest))
		elog(PANIC, "snapshot cache: own xmin %u is older than a horizon handed out, %u",
			 MyPgXact->xmin, newest);
}

/* ---- the fresh scan ---- */

typedef struct SnapshotCacheFresh
{
	TransactionId xmin;
	TransactionId xmax;
	uint32		xcnt;			/* in verify_xip */
	uint32		subxcnt;		/* in verify_subxip */
	bool		overflowed;
} SnapshotCacheFresh;

/* Everybody but the caller; ProcArrayLock is held. */
static SnapshotCacheFresh
SnapshotCacheScanAnew(bool recovery)
{
	SnapshotCacheFresh fresh = {0};

	fresh.xmax = ShmemVariableCache->latestCompletedXid;
	TransactionIdAdvance(fresh.xmax);
	fresh.xmin = fresh.xmax;
	if (recovery)
	{
		fresh.subxcnt = KnownAssignedXidsGetAndSetXmin(verify_subxip, &fresh.xmin, fresh.xmax);
		fresh.overflowed = TransactionIdPrecedesOrEquals(fresh.xmin, procArray->lastOverflowedXid);
		return fresh;
	}
	for (int index = 0; index < procArray->numProcs; index++)
	{
		int			pgprocno = procArray->pgprocnos[index];
		PGXACT	   *pgxact = &allPgXact[pgprocno];
		TransactionId xid;
		int			nxids;

		if (pgxact->vacuumFlags & (PROC_IN_LOGICAL_DECODING | PROC_IN_VACUUM))
			continue;
		xid = UINT32_ACCESS_ONCE(pgxact->xid);
		if (!TransactionIdIsNormal(xid) || !NormalTransactionIdPrecedes(xid, fresh.xmax))
			continue;
		if (NormalTransactionIdPrecedes(xid, fresh.xmin))
			fresh.xmin = xid;
		if (pgxact == MyPgXact)
			continue;
		verify_xip[fresh.xcnt++] = xid;
		fresh.overflowed |= pgxact->overflowed;
		nxids = pgxact->nxids;
		pg_read_barrier();
		memcpy(verify_subxip + fresh.subxcnt, (void *) allProcs[pgprocno].subxids.xids,
			   nxids * sizeof(TransactionId));
		fresh.subxcnt += nxids;
	}
	return fresh;
}

/*
 * SNAPSHOT was served from a copy that is still valid, and its xmin is
 * published; OLDEST is the horizon that goes with it.  ProcArrayLock is held.
 */
static pg_noinline void
SnapshotCacheVerify(Snapshot snapshot, TransactionId oldest)
{
	SnapshotCacheFresh fresh = SnapshotCacheScanAnew(snapshot->takenDuringRecovery);

	if (snapshot->xmin != fresh.xmin || snapshot->xmax != fresh.xmax)
		elog(PANIC, "snapshot cache: served xmin %u xmax %u, a fresh scan says %u and %u",
			 snapshot->xmin, snapshot->xmax, fresh.xmin, fresh.xmax);
	if (MyPgXact->xid != snapcache_own_xid)
		elog(PANIC, "snapshot cache: own xid %u is not %u, as remembered", MyPgXact->xid, snapcache_own_xid);
	SnapshotCacheVerifySet("xip", snapshot->xip, snapshot->xcnt, verify_xip, fresh.xcnt, fresh.xmax);

	if (snapshot->takenDuringRecovery && fresh.overflowed != snapshot->suboverflowed)
		elog(PANIC, "snapshot cache: suboverflowed is %d in recovery, a fresh scan says %d",
			 snapshot->suboverflowed, fresh.overflowed);
	if (snapshot->suboverflowed && !fresh.overflowed)
		elog(PANIC, "snapshot cache: suboverflowed, but no other backend's subxids overflowed");

	/* A cache that overflows later loses only subxids past xmax. */
	if (snapshot->takenDuringRecovery || (!snapshot->suboverflowed && !fresh.overflowed))
		SnapshotCacheVerifySet("subxip", snapshot->subxip, snapshot->subxcnt,
							   verify_subxip, fresh.subxcnt, fresh.xmax);

	SnapshotCacheVerifyHandedOut();
	SnapshotCacheNoteHorizon(oldest);
}

/* ---- what was served without the lock ---- */

static bool
SnapshotCacheLists(const TransactionId *xids, uint32 count, TransactionId xid)
{
	for (uint32 i = 0; i < count; i++)
	{
		if (xids[i] == xid)
			return true;
	}
	return false;
}

/* What runs now below its xmax was running then. */
static void
SnapshotCacheVerifyStillRunning(Snapshot snapshot)
{
	SnapshotCacheFresh fresh = SnapshotCacheScanAnew(false);

	for (uint32 i = 0; i < fresh.xcnt; i++)
	{
		if (TransactionIdPrecedes(verify_xip[i], snapshot->xmax) &&
			!SnapshotCacheLists(snapshot->xip, snapshot->xcnt, verify_xip[i]))
			elog(PANIC, "snapshot cache: xid %u runs below xmax %u and was not listed",
				 verify_xip[i], snapshot->xmax);
	}
	for (uint32 i = 0; i < fresh.subxcnt && !snapshot->suboverflowed; i++)
	{
		if (TransactionIdPrecedes(verify_subxip[i], snapshot->xmax) &&
			!SnapshotCacheLists(snapshot->subxip, snapshot->subxcnt, verify_subxip[i]))
			elog(PANIC, "snapshot cache: subxid %u runs below xmax %u and was not listed",
				 verify_subxip[i], snapshot->xmax);
	}
}

/* An xmin was published without the lock. */
static pg_noinline void
SnapshotCacheVerifyPrimary(void)
{
	if (SnapScopeRecoveryInProgress())
		elog(PANIC, "snapshot cache: an xmin was published without the lock in recovery");
}

static pg_noinline void
SnapshotCacheVerifyLockFree(Snapshot snapshot, uint64 generation, TransactionId oldest)
{
	SnapshotCacheVerifyPrimary();
	LWLockAcquire(ProcArrayLock, LW_SHARED);
	if (SnapshotCacheLoad(&SnapshotCache->generation) == generation)
		SnapshotCacheVerify(snapshot, oldest);
	else
	{
		SnapshotCacheVerifyStillRunning(snapshot);
		SnapshotCacheVerifyHandedOut();
	}
	LWLockRelease(ProcArrayLock);
}
