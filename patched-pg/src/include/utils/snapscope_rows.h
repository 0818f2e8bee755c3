/*
 * snapscope_rows.h
 *	  What a function needs that returns a set of rows at once.
 */
#ifndef SNAPSCOPE_ROWS_H
#define SNAPSCOPE_ROWS_H

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

/* An empty store for the rows of this call, and their description. */
static inline Tuplestorestate *
SnapScopeRows(FunctionCallInfo fcinfo, TupleDesc *tupdesc)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Tuplestorestate *rows;
	MemoryContext oldcontext;

	if (rsinfo == NULL || !IsA(rsinfo, ReturnSetInfo) ||
		(rsinfo->allowedModes & SFRM_Materialize) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot accept a set")));

	oldcontext = MemoryContextSwitchTo(rsinfo->econtext->ecxt_per_query_memory);
	if (get_call_result_type(fcinfo, NULL, tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	rows = tuplestore_begin_heap(true, false, work_mem);
	MemoryContextSwitchTo(oldcontext);
	rsinfo->returnMode = SFRM_Materialize;
	rsinfo->setResult = rows;
	rsinfo->setDesc = *tupdesc;
	return rows;
}

#endif
