/*
 * snapscope_memfile.h
 *	  The memory file that a collector reads: made by the postmaster, mapped by
 *	  every process of the server.  Its layout is snapscope/probes/abi.h.
 */
#ifndef STORAGE_SNAPSCOPE_MEMFILE_H
#define STORAGE_SNAPSCOPE_MEMFILE_H

#include "snapscope/probes/abi.h"

/*
 * Makes the file, or finds the one that this postmaster made before a crash
 * restart.  Never NULL: where no memory file is to be had, memory that only
 * the server sees takes its place, and the log says why.
 */
extern char *SnapScopeMemfileOpen(uint32 slots, uint32 ring_capacity);

static inline struct snapscope_header *
SnapScopeHeader(char *base)
{
	return (struct snapscope_header *) base;
}

static inline struct snapscope_control *
SnapScopeControl(char *base)
{
	return (struct snapscope_control *) (base + SnapScopeHeader(base)->consumer_offset);
}

static inline struct snapscope_counters *
SnapScopeCountersOf(char *base, uint32 slot)
{
	return (struct snapscope_counters *) (base + SnapScopeHeader(base)->counters_offset) + slot;
}

#endif
