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
#include "storage/snapscope.h"
#include "utils/snapshot.h"

/*
 * How SnapshotCacheGet() came by a snapshot, for counters and events.  The
 * caller clears it up to copied_xids; what follows is written only where it
 * means something.
 */
typedef struct SnapshotCacheTrace
{
	uint8		outcome;		/* enum snapscope_outcome */
	uint8		waited;			/* SNAPSCOPE_WAIT_*, ored */
	bool		gave_up;		/* still being built after the last look */
	bool		refreshed;		/* the horizon was computed anew */
	bool		lockfree;		/* copied without ProcArrayLock */
	bool		kept;			/* SNAPSHOT held it already: neither lock nor copy */
	uint8		retries;		/* wiped while it was read without the lock */
	bool		timed;			/* in: take the ticks */
	uint32		spins;			/* pauses while another one built */
	uint16		scan_lines;		/* lines of PGXACT read, building or refreshing */
	uint16		copy_lines;		/* lines of the shared copy read */
	uint32		copied_xids;
	uint32		copied_subxids;
	uint32		own_dropped;	/* own xids left out of the copy */
	TransactionId horizon;
	uint64		generation;
	uint64		lock_ticks;		/* waited for ProcArrayLock; 0 unless timed */
	uint64		spin_ticks;		/* waited for another builder */
	uint64		build_ticks;
} SnapshotCacheTrace;

typedef struct SnapshotCacheData SnapshotCacheData;

/* NULL in mode off */
extern SnapshotCacheData *SnapshotCache;

/*
 * What the own PGXACT entry holds, so that its line, which neighbours dirty, is
 * stored to without being loaded first.  In every mode; whoever stores to the
 * entry says so below.
 */
extern TransactionId snapcache_own_xid;
extern TransactionId snapcache_own_xmin;

extern Size SnapshotCacheShmemSize(void);
extern void SnapshotCacheShmemInit(void);

/*
 * Fills SNAPSHOT from the shared copy, building it first where this backend
 * wins the race to do so.  False: no valid copy and another one is building,
 * or the copy is of the other side of a promotion; nothing was done.
 */
extern bool SnapshotCacheGet(Snapshot snapshot, SnapshotCacheTrace *trace);

/* What GetSnapshotData() does where no plain scan is due. */
extern Snapshot SnapshotCacheTake(Snapshot snapshot);

/* The arrays of SNAPSHOT, one that GetSnapshotData() filled, are written by somebody else. */
extern void SnapshotCacheForget(Snapshot snapshot);

/* The own entry has changed; to be called without a lock, after the store. */
extern void SnapshotCacheXidAssigned(TransactionId xid, bool subxact);
extern void SnapshotCacheTransactionEnd(void);
extern void SnapshotCacheXminMoved(TransactionId after);
extern void SnapshotCacheXminLowered(TransactionId after);
extern void SnapshotCachePrepared(void);

extern void SnapshotCacheInvalidateSlow(enum snapscope_reason reason);
extern void SnapshotCacheXminLeftSlow(TransactionId before);
extern void SnapshotCacheNoteHorizonSlow(TransactionId oldest);

#ifdef SNAPSCOPE_FAULTS
/*
 * Test builds: a rule of the protocol is broken where snapshot_cache_mutant
 * names it, or the function that holds an invalidation; and windows of a few
 * instructions are held open.
 */
extern bool SnapshotCacheMutant(const char *name);
extern void SnapshotCacheWindow(void);
extern void SnapshotCachePause(const char *window);
extern void SnapshotCachePromotionWindow(void);
#else
#define SnapshotCacheMutant(name)	false
#define SnapshotCacheWindow()		((void) 0)
#define SnapshotCachePause(window)	((void) 0)
#define SnapshotCachePromotionWindow()	((void) 0)
#endif

/* The set of running xids changes.  ProcArrayLock is held exclusively. */
#define SnapshotCacheInvalidate(reason) \
	do { \
		if (SnapshotCache != NULL && !SnapshotCacheMutant(__func__)) \
			SnapshotCacheInvalidateSlow(reason); \
	} while (0)

/* Own xmin was cleared or advanced, without a lock; call after the store. */
static inline void
SnapshotCacheXminLeft(TransactionId before)
{
	if (SnapshotCache != NULL)
		SnapshotCacheXminLeftSlow(before);
}

/* A horizon of all databases was computed; for snapshot_cache_verify. */
static inline void
SnapshotCacheNoteHorizon(TransactionId oldest)
{
	if (unlikely(snapshot_cache_verify) && SnapshotCache != NULL)
		SnapshotCacheNoteHorizonSlow(oldest);
}

#endif
