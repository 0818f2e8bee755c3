/*
 * snapscope_test.c
 *	  Measures GetSnapshotData() from inside.
 *
 * Builds with PGXS on any server from 12 to 15, so that the same code measures
 * the baseline.  Of the patched server it uses one word, see SetOwnXmin().
 */
#include "postgres.h"

#include <time.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#ifdef SNAPSCOPE_PATCHED
#include "storage/snapcache.h"
#endif
#include "utils/array.h"
#include "utils/snapmgr.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(snapscope_snapshot_ns);
PG_FUNCTION_INFO_V1(snapscope_snapshot);
PG_FUNCTION_INFO_V1(snapscope_refilled_xmax);
PG_FUNCTION_INFO_V1(snapscope_add_idle_procs);

/* GetSnapshotData() keeps arrays in it, so one of its own serves all calls. */
static SnapshotData test_snapshot = {.snapshot_type = SNAPSHOT_MVCC};

/* 14 moved xmin out of the array that a snapshot scans. */
#if PG_VERSION_NUM < 140000
#define OWN_XMIN	(MyPgXact->xmin)
#else
#define OWN_XMIN	(MyProc->xmin)
#endif

/*
 * Without a lock, as the end of a transaction without an xid does it.  The
 * patched server looks at its own copy of the word instead.
 */
static inline void
SetOwnXmin(TransactionId xmin)
{
	OWN_XMIN = xmin;
#ifdef SNAPSCOPE_PATCHED
	snapcache_own_xmin = xmin;
#endif
}

/* A function of its own, so that callgrind can count what it includes. */
pg_noinline void snapscope_snapshot_loop(int loops, bool publish);

pg_noinline void
snapscope_snapshot_loop(int loops, bool publish)
{
	if (publish)
	{
		for (int i = 0; i < loops; i++)
		{
			SetOwnXmin(InvalidTransactionId);
			GetSnapshotData(&test_snapshot);
		}
		return;
	}
	for (int i = 0; i < loops; i++)
		GetSnapshotData(&test_snapshot);
}

static double
Nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

/*
 * With PUBLISH the caller's snapshot is unprotected while the loop runs: what
 * it alone could still see may be removed.  Nothing in the loop checks for
 * interrupts or raises an error, so the own xmin does come back.
 */
Datum
snapscope_snapshot_ns(PG_FUNCTION_ARGS)
{
	int			loops = PG_GETARG_INT32(0);
	bool		publish = PG_GETARG_BOOL(1);
	TransactionId xmin = OWN_XMIN;
	TransactionId transaction_xmin = TransactionXmin;
	double		start;
	double		elapsed;

	if (loops < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("loops must be at least 1")));
	GetSnapshotData(&test_snapshot);	/* allocates the arrays */
	start = Nanoseconds();
	snapscope_snapshot_loop(loops, publish);
	elapsed = Nanoseconds() - start;
	if (publish)
	{
		SetOwnXmin(xmin);
		TransactionXmin = transaction_xmin;
	}
	PG_RETURN_FLOAT8(elapsed / loops);
}

Datum
snapscope_snapshot(PG_FUNCTION_ARGS)
{
	TupleDesc	tupdesc;
	Datum		values[10];
	bool		nulls[10] = {false};
	Datum	   *xip;
	Snapshot	snapshot = GetSnapshotData(&test_snapshot);

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	xip = palloc(sizeof(Datum) * (snapshot->xcnt + 1));
	for (uint32 i = 0; i < snapshot->xcnt; i++)
		xip[i] = TransactionIdGetDatum(snapshot->xip[i]);

	values[0] = TransactionIdGetDatum(snapshot->xmin);
	values[1] = TransactionIdGetDatum(snapshot->xmax);
	values[2] = PointerGetDatum(construct_array(xip, (int) snapshot->xcnt, XIDOID,
												sizeof(TransactionId), true, 'i'));
	values[3] = Int32GetDatum(snapshot->subxcnt);
	values[4] = BoolGetDatum(snapshot->suboverflowed);
	values[5] = BoolGetDatum(snapshot->takenDuringRecovery);
	values[6] = TransactionIdGetDatum(TransactionXmin);
	values[7] = TransactionIdGetDatum(RecentXmin);
#if PG_VERSION_NUM < 140000
	values[8] = TransactionIdGetDatum(RecentGlobalXmin);
	values[9] = TransactionIdGetDatum(RecentGlobalDataXmin);
#else
	/* 14 took the horizon out of the snapshot. */
	nulls[8] = nulls[9] = true;
#endif
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}

/* As one that frees a snapshot which GetSnapshotData() has filled, and begins another in its place. */
Datum
snapscope_refilled_xmax(PG_FUNCTION_ARGS)
{
	SnapshotData refilled = {.snapshot_type = SNAPSHOT_MVCC};
	TransactionId xmax;

	GetSnapshotData(&refilled);
	free(refilled.xip);
	free(refilled.subxip);
	memset(&refilled, 0, sizeof(refilled));
	refilled.snapshot_type = SNAPSHOT_MVCC;
	xmax = GetSnapshotData(&refilled)->xmax;
	free(refilled.xip);
	free(refilled.subxip);
	PG_RETURN_DATUM(TransactionIdGetDatum(xmax));
}

/* The entries have no process: only a server without other processes can bear that. */
Datum
snapscope_add_idle_procs(PG_FUNCTION_ARGS)
{
	int			wanted = PG_GETARG_INT32(0);
	int			added = 0;

	if (IsUnderPostmaster)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("idle entries can be added in single-user mode only")));
#if PG_VERSION_NUM < 140000
	while (added < wanted && ProcGlobal->freeProcs != NULL)
	{
		PGPROC	   *proc = ProcGlobal->freeProcs;
		PGXACT	   *pgxact = &ProcGlobal->allPgXact[proc->pgprocno];

		ProcGlobal->freeProcs = (PGPROC *) proc->links.next;
		pgxact->xid = pgxact->xmin = InvalidTransactionId;
		pgxact->vacuumFlags = pgxact->nxids = 0;
		pgxact->overflowed = false;
		ProcArrayAdd(proc);
		added++;
	}
#endif
	if (added < wanted)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("added %d of %d entries", added, wanted),
				 errhint("Raise max_connections.")));
	PG_RETURN_INT32(added);
}
