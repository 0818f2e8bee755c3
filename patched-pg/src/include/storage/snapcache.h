/*
 * snapcache.h
 *	  One copy of the snapshot in shared memory, for all backends.
 *
 * See DESIGN.md of this patch for the protocol and the argument.
 */
#ifndef STORAGE_SNAPCACHE_H
#define STORAGE_SNAPCACHE_H

#include "port/atomics.h"
#include "snapscope/probes/abi.h"
#include "utils/snapshot.h"

/* How SnapshotCacheGet() came by a snapshot, for counters and events. */
typedef struct SnapshotCacheTrace
{
	enum snapscope_outcome outcome;
	bool		waited;			/* ProcArrayLock was not free at once */
	bool		refreshed;		/* the horizon was computed anew */
	uint16		scan_lines;		/* lines of PGXACT read, building or refreshing */
	uint16		copy_lines;		/* lines of the shared copy read */
	uint32		own_dropped;	/* own xids left out of the copy */
	uint64		generation;
	TransactionId horizon;
	uint32		copied_xids;
	uint32		copied_subxids;
	uint64		wait_ticks;		/* 0 unless timed */
	uint64		build_ticks;
	bool		timed;			/* in: take the two above */
} SnapshotCacheTrace;

typedef struct SnapshotCacheData SnapshotCacheData;

/* NULL in mode off */
extern SnapshotCacheData *SnapshotCache;

extern Size SnapshotCacheShmemSize(void);
extern void SnapshotCacheShmemInit(void);

/*
 * Fills SNAPSHOT from the shared copy, building it first where this backend
 * wins the race to do so.  False: no valid copy and another one is building,
 * or the copy is of the other side of a promotion; nothing was done.
 */
extern bool SnapshotCacheGet(Snapshot snapshot, SnapshotCacheTrace *trace);

extern void SnapshotCacheInvalidateSlow(enum snapscope_reason reason);
extern void SnapshotCacheXminLeftSlow(TransactionId before);
extern void SnapshotCacheHorizonLoweredSlow(void);

/* The set of running xids changes.  ProcArrayLock is held exclusively. */
static inline void
SnapshotCacheInvalidate(enum snapscope_reason reason)
{
	if (SnapshotCache != NULL)
		SnapshotCacheInvalidateSlow(reason);
}

/* Own xmin was cleared or advanced, without a lock; call after the store. */
static inline void
SnapshotCacheXminLeft(TransactionId before)
{
	if (SnapshotCache != NULL)
		SnapshotCacheXminLeftSlow(before);
}

/* Own xmin was set, possibly below the cached horizon; call after the store. */
static inline void
SnapshotCacheHorizonLowered(void)
{
	if (SnapshotCache != NULL)
		SnapshotCacheHorizonLoweredSlow();
}

#endif
