/*
 * snapscope_emit.c
 *	  Ring events and USDT probes, and the slot of the memory file that they go to.
 *
 * Compiled without the red zone, since it holds the probe sites (see
 * snapscope/probes/usdt.h).
 */
#include "postgres.h"

#include "access/twophase.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/snapscope.h"
#include "storage/snapscope_emit.h"
#include "storage/snapscope_memfile.h"

SNAPSCOPE_USDT_DEFINE_SEMAPHORE = 0;

uint32		snapscope_clock = SNAPSCOPE_CLOCK_MONOTONIC_NS;
const struct snapscope_control *snapscope_control = NULL;

static struct snapscope_counters no_slot_counters;
struct snapscope_counters *snapscope_counters = &no_slot_counters;

static const void *segment_base = NULL;
static Size segment_bytes = 0;

static char *memfile = NULL;
static uint64 max_lease_ticks = 0;

static bool have_slot = false;
static uint32 own_slot = 0;
static struct snapscope_ring ring;
static bool ring_running = false;

/* An invalidation waits here until the lock is released. */
static struct snapscope_record pending_invalidation;

/* Events of a snapshot taken under SerializableXactHashLock wait here. */
#define MAX_DEFERRED	16
static struct snapscope_record deferred[MAX_DEFERRED];
static int	ndeferred = 0;

/* ---- emitting ---- */

static void
PushToRing(const struct snapscope_record *record)
{
	if (snapscope_ring_push(&ring, record))
		snapscope_counters->events_written++;
	else
		snapscope_counters->events_lost++;
}

/* True while a collector holds a lease.  The first event of a lease says how much went unseen. */
static bool
RingRuns(uint64 now)
{
	bool		runs = have_slot && snapscope_control != NULL &&
		snapscope_lease_runs(snapscope_control, max_lease_ticks, now);

	if (runs && !ring_running)
	{
		struct snapscope_record on = {0};

		snapscope_ring_attach(&ring, memfile, own_slot);
		on.type = SNAPSCOPE_EV_RING_ON;
		on.ticks = now;
		on.a = (uint32) snapscope_counters->taken;
		on.b = (uint32) (snapscope_counters->taken >> 32);
		PushToRing(&on);
	}
	ring_running = runs;
	return runs;
}

static void
EmitNow(const struct snapscope_record *record)
{
	if (RingRuns(record->ticks))
		PushToRing(record);
	if (SNAPSCOPE_USDT_LISTENING())
		snapscope_usdt_fire(own_slot, record);
}

static void
EmitDeferred(void)
{
	int			n = ndeferred;

	ndeferred = 0;
	for (int i = 0; i < n; i++)
		EmitNow(&deferred[i]);
}

/*
 * Serializable transactions take their first snapshot under
 * SerializableXactHashLock; its events wait for the next one outside.
 */
static inline bool
UnderForeignLock(void)
{
	return IsolationIsSerializable() && LWLockHeldByMe(SerializableXactHashLock);
}

void
SnapScopeEmit(const struct snapscope_record *record)
{
	if (unlikely(UnderForeignLock()) && ndeferred < MAX_DEFERRED)
	{
		deferred[ndeferred++] = *record;
		return;
	}
	if (unlikely(ndeferred > 0))
		EmitDeferred();
	EmitNow(record);
}

struct snapscope_record
SnapScopeNewRecord(enum snapscope_event type)
{
	struct snapscope_record record = {0};

	record.type = (uint8) type;
	record.ticks = snapscope_ticks(snapscope_clock, &record.cpu);
	return record;
}

/* Emits a record of TYPE with words A and B. */
void
SnapScopeEmitWords(enum snapscope_event type, uint32 a, uint32 b)
{
	struct snapscope_record record = SnapScopeNewRecord(type);

	record.a = a;
	record.b = b;
	SnapScopeEmit(&record);
}

/* ---- the memory file and a slot's life ---- */

static uint32
RingCapacity(void)
{
	uint32		wanted = (uint32) ((Size) snapshot_event_ring_size * 1024 / sizeof(struct snapscope_record));
	uint32		capacity = 1;

	while (capacity * 2 <= wanted)
		capacity *= 2;
	return capacity;
}

/* The main segment, which UsedShmemSegAddr is not where that is a stub beside a mapping. */
void
SnapScopeSegmentCreated(const void *base, Size bytes)
{
	segment_base = base;
	segment_bytes = bytes;
}

void
SnapScopeShmemInit(void)
{
	uint32		slots = (uint32) (MaxBackends + NUM_AUXILIARY_PROCS + max_prepared_xacts);

	memfile = SnapScopeMemfileOpen(slots, RingCapacity());
	snapscope_control = SnapScopeControl(memfile);
	max_lease_ticks = SnapScopeHeader(memfile)->max_lease_ticks;
	snapscope_clock = SnapScopeHeader(memfile)->clock;
	/* A process started by exec has its slot before it finds the file. */
	if (MyProc != NULL)
		SnapScopeTakeSlot();
}

/* Completes the header with addresses in the segment, then makes it valid. */
void
SnapScopeDescribe(uint64 pgprocnos, uint64 copy, uint64 copy_bytes)
{
	struct snapscope_header *header = SnapScopeHeader(memfile);

	if (IsUnderPostmaster)
		return;					/* re-attached: the postmaster has done it */
	header->pgxact_address = (uint64) (uintptr_t) ProcGlobal->allPgXact;
	header->pgxact_stride = sizeof(PGXACT);
	header->pgproc_address = (uint64) (uintptr_t) ProcGlobal->allProcs;
	header->pgproc_stride = sizeof(PGPROC);
	header->pgprocnos_address = pgprocnos;
	header->lock_address = (uint64) (uintptr_t) ProcArrayLock;
	header->copy_address = copy;
	header->copy_bytes = copy_bytes;
	header->segment_address = (uint64) (uintptr_t) segment_base;
	header->segment_bytes = segment_bytes;
	__atomic_store_n(&header->magic, SNAPSCOPE_ABI_MAGIC, __ATOMIC_RELEASE);
}

void
SnapScopeTakeSlot(void)
{
	if (memfile == NULL)
		return;
	own_slot = (uint32) MyProc->pgprocno;
	snapscope_counters = SnapScopeCountersOf(memfile, own_slot);
	snapscope_counters->owner_pid = (uint32) MyProcPid;
	snapscope_counters->database = 0;
	have_slot = true;
	ring_running = false;
	if (SnapScopeListening())
		SnapScopeEmitWords(SNAPSCOPE_EV_SLOT_TAKEN, (uint32) MyProcPid, 0);
}

void
SnapScopeGiveSlotBack(void)
{
	if (!have_slot)
		return;
	SnapScopeEmitInvalidation();
	if (SnapScopeListening())
		SnapScopeEmitWords(SNAPSCOPE_EV_SLOT_RELEASED, (uint32) MyProcPid, 0);
	snapscope_counters->owner_pid = 0;
	snapscope_counters = &no_slot_counters;
	have_slot = false;
	ring_running = false;
}

const struct snapscope_header *
SnapScopeDescription(void)
{
	return SnapScopeHeader(memfile);
}

const struct snapscope_counters *
SnapScopeSlotCounters(uint32 slot)
{
	return slot < SnapScopeHeader(memfile)->slots ? SnapScopeCountersOf(memfile, slot) : NULL;
}

/* ---- invalidations ---- */

void
SnapScopeNoteInvalidation(enum snapscope_reason reason, uint64 generation)
{
	snapscope_counters->invalidations[reason]++;
	if (!SnapScopeListening())
		return;
	pending_invalidation = SnapScopeNewRecord(SNAPSCOPE_EV_INVALIDATE);
	pending_invalidation.outcome = (uint8) reason;
	pending_invalidation.a = (uint32) generation;
}

void
SnapScopeEmitInvalidation(void)
{
	struct snapscope_record record;

	if (likely(pending_invalidation.type == SNAPSCOPE_EV_NONE))
		return;
	record = pending_invalidation;
	pending_invalidation.type = SNAPSCOPE_EV_NONE;
	SnapScopeEmit(&record);
}
