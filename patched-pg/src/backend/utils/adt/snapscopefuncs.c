/*
 * snapscopefuncs.c
 *	  SQL access to the counters of the snapshot path.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/snapscope.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/snapscope_rows.h"

static const char *const reason_names[SNAPSCOPE_REASON_COUNT] = {
	[SNAPSCOPE_REASON_XACT_END] = "xact_end",
	[SNAPSCOPE_REASON_PREPARED_END] = "prepared_end",
	[SNAPSCOPE_REASON_PROC_ADD_XID] = "proc_add_xid",
	[SNAPSCOPE_REASON_SUBXACT_ABORT] = "subxact_abort",
	[SNAPSCOPE_REASON_STANDBY_EXPIRE] = "standby_expire",
	[SNAPSCOPE_REASON_STANDBY_ASSIGN] = "standby_assign",
	[SNAPSCOPE_REASON_RECOVERY_INFO] = "recovery_info",
	[SNAPSCOPE_REASON_RECOVERY_END] = "recovery_end",
	[SNAPSCOPE_REASON_VACUUM_FLAG] = "vacuum_flag",
	[SNAPSCOPE_REASON_DECODING_FLAG] = "decoding_flag",
	[SNAPSCOPE_REASON_RESTORED_XMIN] = "restored_xmin",
	[SNAPSCOPE_REASON_SLOT_XMIN] = "slot_xmin",
};

/* {"xact_end": n, ...}, reasons that occurred; *TOTAL is their sum. */
static Datum
InvalidationsByReason(const struct snapscope_counters *counters, uint64 *total)
{
	StringInfoData json;
	const char *separator = "";

	*total = 0;
	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	for (int reason = 1; reason < SNAPSCOPE_REASON_COUNT; reason++)
	{
		uint64		n = counters->invalidations[reason];

		if (n == 0)
			continue;
		*total += n;
		appendStringInfo(&json, "%s\"%s\": " UINT64_FORMAT, separator, reason_names[reason], n);
		separator = ", ";
	}
	appendStringInfoChar(&json, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

#define SNAPSHOT_CACHE_COLUMNS 20

/* One row a slot that was ever used. */
Datum
pg_stat_get_snapshot_cache(PG_FUNCTION_ARGS)
{
	TupleDesc	tupdesc;
	Tuplestorestate *tupstore;
	const struct snapscope_counters *slot_counters;

	tupstore = SnapScopeRows(fcinfo, &tupdesc);
	for (uint32 slot = 0; (slot_counters = SnapScopeSlotCounters(slot)) != NULL; slot++)
	{
		struct snapscope_counters counters = *slot_counters;
		Datum		values[SNAPSHOT_CACHE_COLUMNS];
		bool		nulls[SNAPSHOT_CACHE_COLUMNS] = {false};
		uint64		invalidations;
		int			column = 0;

		if (counters.owner_pid == 0 && counters.taken == 0 && counters.xacts_without_xid == 0)
			continue;
		values[column++] = Int32GetDatum((int32) slot);
		nulls[column] = counters.owner_pid == 0;
		values[column++] = Int32GetDatum((int32) counters.owner_pid);
		values[column++] = Int64GetDatum((int64) counters.taken);
		values[column++] = Int64GetDatum((int64) counters.reused);
		values[column++] = Int64GetDatum((int64) counters.rebuilt);
		values[column++] = Int64GetDatum((int64) counters.private_scans);
		/* A plain scan cannot tell whether it waited. */
		nulls[column] = snapshot_cache == SNAPSCOPE_MODE_OFF;
		values[column++] = Int64GetDatum((int64) counters.waited);
		values[column++] = Int64GetDatum((int64) counters.lockfree);
		values[column++] = Int64GetDatum((int64) counters.kept);
		values[column++] = Int64GetDatum((int64) counters.retries);
		values[column++] = Int64GetDatum((int64) counters.spins);
		values[column++] = Int64GetDatum((int64) counters.gave_up);
		values[column++] = Int64GetDatum((int64) counters.lines_scanned);
		values[column++] = Int64GetDatum((int64) counters.horizon_refreshes);
		values[column + 1] = InvalidationsByReason(&counters, &invalidations);
		values[column] = Int64GetDatum((int64) invalidations);
		column += 2;
		values[column++] = Int64GetDatum((int64) counters.xids_assigned);
		values[column++] = Int64GetDatum((int64) counters.xacts_with_xid);
		values[column++] = Int64GetDatum((int64) counters.xacts_without_xid);
		values[column++] = Int64GetDatum((int64) counters.events_lost);
		Assert(column == SNAPSHOT_CACHE_COLUMNS);
		tuplestore_putvalues(tupstore, tupdesc, values, nulls);
	}
	tuplestore_donestoring(tupstore);
	return (Datum) 0;
}
