/*
 * snapscope_layout.c
 *	  Where the arrays lie that a snapshot reads: address, stride, page size and
 *	  NUMA node of each.
 */
#include "postgres.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "access/transam.h"
#include "access/twophase.h"
#include "miscadmin.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/snapscope.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/snapscope_rows.h"

#define LAYOUT_COLUMNS	7
#define MAX_NODES		1024

typedef struct LaidOut
{
	const char *name;
	uint64		address;		/* 0: there is none */
	int64		stride;			/* bytes */
	int64		entries;
} LaidOut;

/* Bytes a page of the mapping that holds ADDRESS, or 0 where the system does not say. */
static int64
PageBytesAt(uint64 address)
{
	FILE	   *smaps = fopen("/proc/self/smaps", "r");
	char		line[1024];
	bool		within = false;
	int64		bytes = 0;

	if (smaps == NULL)
		return 0;
	while (bytes == 0 && fgets(line, sizeof(line), smaps) != NULL)
	{
		unsigned long from;
		unsigned long to;
		long		kilobytes;

		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			within = from <= address && address < to;
		else if (within && sscanf(line, "KernelPageSize: %ld kB", &kilobytes) == 1)
			bytes = (int64) kilobytes * 1024;
	}
	fclose(smaps);
	return bytes;
}

/*
 * {"0": pages, ...} by node; pages that nothing has touched yet have none and
 * are counted as "absent", for to look at them would place them.
 */
static Datum
PagesByNode(uint64 first, uint64 last, int64 page_bytes, bool *isnull)
{
	int64		pages_on[MAX_NODES] = {0};
	int64		absent = 0;
	StringInfoData json;
	const char *separator = "";

	*isnull = true;
#if defined(SYS_move_pages)
	if (page_bytes == 0)
		return (Datum) 0;
	for (uint64 page = first - first % page_bytes; page <= last; page += page_bytes)
	{
		void	   *pages[1] = {(void *) (uintptr_t) page};
		int			status[1] = {-1};
		unsigned char resident = 0;

		if (mincore(pages[0], 1, &resident) != 0 || (resident & 1) == 0)
		{
			absent++;
			continue;
		}
		(void) *(volatile char *) pages[0];	/* into this process's page table */
		if (syscall(SYS_move_pages, 0, 1UL, pages, NULL, status, 0) != 0)
			return (Datum) 0;
		if (status[0] >= 0 && status[0] < MAX_NODES)
			pages_on[status[0]]++;
		else
			absent++;
	}
	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	for (int node = 0; node < MAX_NODES; node++)
	{
		if (pages_on[node] == 0)
			continue;
		appendStringInfo(&json, "%s\"%d\": " INT64_FORMAT, separator, node, pages_on[node]);
		separator = ", ";
	}
	if (absent > 0)
		appendStringInfo(&json, "%s\"absent\": " INT64_FORMAT, separator, absent);
	appendStringInfoChar(&json, '}');
	*isnull = false;
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
#else
	return (Datum) 0;
#endif
}

/* One row an array. */
Datum
pg_snapshot_layout(PG_FUNCTION_ARGS)
{
	const struct snapscope_header *header = SnapScopeDescription();
	int64		procs = MaxBackends + NUM_AUXILIARY_PROCS + max_prepared_xacts;
	const LaidOut arrays[] = {
		{"PGXACT", header->pgxact_address, (int64) header->pgxact_stride, procs},
		{"pgprocnos", header->pgprocnos_address, sizeof(int), MaxBackends + max_prepared_xacts},
		{"PGPROC", header->pgproc_address, (int64) header->pgproc_stride, procs},
		{"ProcArrayLock", header->lock_address, sizeof(LWLock), 1},
		{"latestCompletedXid", (uint64) (uintptr_t) &ShmemVariableCache->latestCompletedXid, sizeof(TransactionId), 1},
		{"snapshot_copy", header->copy_address, (int64) header->copy_bytes, 1},
	};
	TupleDesc	tupdesc;
	Tuplestorestate *tupstore;

	tupstore = SnapScopeRows(fcinfo, &tupdesc);
	for (int i = 0; i < lengthof(arrays); i++)
	{
		const LaidOut *array = &arrays[i];
		Datum		values[LAYOUT_COLUMNS];
		bool		nulls[LAYOUT_COLUMNS] = {false};
		int64		page_bytes;

		if (array->address == 0)
			continue;
		page_bytes = PageBytesAt(array->address);
		values[0] = CStringGetTextDatum(array->name);
		values[1] = Int64GetDatum((int64) array->address);
		values[2] = Int64GetDatum((int64) (array->address - header->segment_address));
		values[3] = Int64GetDatum(array->stride);
		values[4] = Int64GetDatum(array->entries);
		nulls[5] = page_bytes == 0;
		values[5] = Int64GetDatum(page_bytes);
		values[6] = PagesByNode(array->address, array->address + array->stride * array->entries - 1,
								page_bytes, &nulls[6]);
		tuplestore_putvalues(tupstore, tupdesc, values, nulls);
	}
	tuplestore_donestoring(tupstore);
	return (Datum) 0;
}
