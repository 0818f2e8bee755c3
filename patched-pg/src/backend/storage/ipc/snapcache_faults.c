/*
 * snapcache_faults.c
 *	  Faults for tests: rules left out, and windows held open.
 *
 * Part of snapcache.c, in builds with SNAPSCOPE_FAULTS only.  The windows of the
 * lock-free protocol are a few nanoseconds wide; without delays in them a test
 * proves little.
 */
#include "pgstat.h"
#if PG_VERSION_NUM >= 130000
#include "postmaster/interrupt.h"
#endif

bool
SnapshotCacheMutant(const char *name)
{
	return snapshot_cache_mutant != NULL && strcmp(snapshot_cache_mutant, name) == 0;
}

/* One in four passes some microseconds, one in 256 sleeps. */
void
SnapshotCacheWindow(void)
{
	static uint64 state = 0;

	if (!snapshot_cache_delays)
		return;
	if (state == 0)
		state = (uint64) MyProcPid * UINT64CONST(0x9E3779B97F4A7C15) | 1;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	if (state % 256 == 0)
		pg_usleep(300);
	else if (state % 4 == 0)
	{
		for (uint64 pauses = state / 4 % 100; pauses > 0; pauses--)
			SPIN_DELAY();
	}
}

/*
 * A session that names this window stays in it, and shows the wait event
 * "PgSleep", until the configuration is reloaded or somebody interrupts it.
 */
void
SnapshotCachePause(const char *window)
{
	if (snapshot_cache_pause == NULL || strcmp(snapshot_cache_pause, window) != 0)
		return;
	pgstat_report_wait_start(WAIT_EVENT_PG_SLEEP);
	for (int steps = 0; steps < 1000 && !ConfigReloadPending && !InterruptPending; steps++)
		pg_usleep(10000);
	pgstat_report_wait_end();
}

/* The startup process, between two steps of the end of recovery, without a lock. */
void
SnapshotCachePromotionWindow(void)
{
	if (snapshot_cache_delays)
		pg_usleep(200000);
}
