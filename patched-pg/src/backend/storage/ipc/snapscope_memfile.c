/*
 * snapscope_memfile.c
 *	  Makes and maps the memory file that a collector reads.
 *
 * A memfd has no name to clean up and is gone with the server.  It is sealed
 * against shrinking, so that nobody who opens it can make a backend's store
 * fault; it is sparse, so that slots without events cost no memory; and it is
 * closed on exec, so that programs started by the server do not inherit it.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "miscadmin.h"
#include "postmaster/postmaster.h"
#include "snapscope/probes/ticks.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "storage/snapscope.h"
#include "storage/snapscope_memfile.h"

#define MAX_LEASE_SECONDS	10

/* Where a process that did not inherit the mapping finds the file. */
typedef struct SnapScopeMemfileLocation
{
	int			postmaster_pid;
	int			fd;
	uint64		bytes;
} SnapScopeMemfileLocation;

static char *memfile_base = NULL;
static int	memfile_fd = -1;

static uint64
PageAlign(uint64 bytes)
{
	return TYPEALIGN(SNAPSCOPE_PAGE_BYTES, bytes);
}

static uint32
ClockToUse(void)
{
#if defined(__x86_64__)
	unsigned int a,
				b,
				c,
				d;

	/* Invariant TSC: Intel SDM vol. 3, 18.17.1; AMD APM vol. 3, CPUID Fn8000_0007. */
	if (__get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1U << 8)) != 0)
		return SNAPSCOPE_CLOCK_TSC;
#endif
	return SNAPSCOPE_CLOCK_MONOTONIC_NS;
}

/* A bound needs no precision: two milliseconds give a per cent or so. */
static uint64
TicksPerSecond(uint32 clock)
{
	uint16		cpu;
	uint64		ns;
	uint64		ticks;

	if (clock == SNAPSCOPE_CLOCK_MONOTONIC_NS)
		return UINT64CONST(1000000000);
	ns = snapscope_ticks(SNAPSCOPE_CLOCK_MONOTONIC_NS, &cpu);
	ticks = snapscope_ticks(clock, &cpu);
	pg_usleep(2000L);
	ns = snapscope_ticks(SNAPSCOPE_CLOCK_MONOTONIC_NS, &cpu) - ns;
	ticks = snapscope_ticks(clock, &cpu) - ticks;
	return ticks * UINT64CONST(1000000000) / ns;
}

static void
PlanLayout(struct snapscope_header *header, uint32 slots, uint32 ring_capacity)
{
	header->slots = slots;
	header->ring_capacity = ring_capacity;
	header->record_bytes = sizeof(struct snapscope_record);
	header->ring_stride = PageAlign(sizeof(struct snapscope_head) +
									(uint64) ring_capacity * sizeof(struct snapscope_record));
	header->consumer_offset = SNAPSCOPE_PAGE_BYTES;
	header->tails_offset = header->consumer_offset + sizeof(struct snapscope_control);
	header->counters_offset = PageAlign(header->tails_offset + (uint64) slots * sizeof(struct snapscope_tail));
	header->rings_offset = PageAlign(header->counters_offset + (uint64) slots * sizeof(struct snapscope_counters));
	header->total_bytes = header->rings_offset + slots * header->ring_stride;
}

/*
 * ftruncate(), but without the signal that comes with its error where
 * RLIMIT_FSIZE forbids the size: only a postmaster ignores that one; initdb's
 * server and the one in single-user mode would end.
 */
static int
Extend(int fd, uint64 bytes)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur)
	{
		errno = EFBIG;
		return -1;
	}
	return ftruncate(fd, (off_t) bytes);
}

/*
 * Keeps the rings out of core dumps.  Who writes one reads every page, which
 * gives memory to each that had none: all rings of all slots, for as long as
 * the server runs.
 */
static void
LeaveRingsOutOfDumps(char *base)
{
	const struct snapscope_header *header = SnapScopeHeader(base);
	char	   *rings = (char *) TYPEALIGN(sysconf(_SC_PAGESIZE), base + header->rings_offset);

	(void) madvise(rings, base + header->total_bytes - rings, MADV_DONTDUMP);
}

/* A sealed memory file of BYTES, mapped; NULL with the reason in *FAILED. */
static char *
MapMemfile(uint64 bytes, const char **failed)
{
	char	   *base;

	*failed = "memfd_create";
	memfile_fd = memfd_create(SNAPSCOPE_MEMFD_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (memfile_fd < 0)
		return NULL;
	*failed = "ftruncate";
	if (Extend(memfile_fd, bytes) != 0)
		return NULL;
	*failed = "fcntl(F_ADD_SEALS)";
	if (fcntl(memfile_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
		return NULL;
	*failed = "mmap";
	base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memfile_fd, 0);
	return base == MAP_FAILED ? NULL : base;
}

static char *
CreateMemfile(uint32 slots, uint32 ring_capacity)
{
	struct snapscope_header plan = {0};
	struct snapscope_header *header;
	const char *failed;
	char	   *base;
	uint16		cpu;

	PlanLayout(&plan, slots, ring_capacity);
	base = MapMemfile(plan.total_bytes, &failed);
	if (base == NULL)
	{
		ereport(LOG,
				(errmsg("snapshot counters cannot be read from outside: %s failed: %m", failed),
				 errhint("SQL still shows them in pg_stat_snapshot_cache.")));
		if (memfile_fd >= 0)
			close(memfile_fd);
		memfile_fd = -1;
		base = mmap(NULL, plan.total_bytes, PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (base == MAP_FAILED)
			ereport(FATAL,
					(errmsg("could not map %llu bytes for snapshot counters: %m",
							(unsigned long long) plan.total_bytes),
					 errhint("Lower max_connections or snapshot_event_ring_size.")));
	}

	header = SnapScopeHeader(base);
	*header = plan;
	LeaveRingsOutOfDumps(base);
	header->version = SNAPSCOPE_ABI_VERSION;
	header->header_bytes = sizeof(struct snapscope_header);
	header->postmaster_pid = (uint32) MyProcPid;
	header->mode = (uint32) snapshot_cache;
	header->max_connections = (uint32) MaxConnections;
	header->max_backends = (uint32) MaxBackends;
	header->server_version = PG_VERSION_NUM;
	header->clock = ClockToUse();
	header->max_lease_ticks = MAX_LEASE_SECONDS * TicksPerSecond(header->clock);
	header->start_ticks = snapscope_ticks(header->clock, &cpu);
	return base;
}

/* A process started by exec has neither the mapping nor the descriptor. */
static char *
ReopenMemfile(const SnapScopeMemfileLocation *location)
{
	char		path[64];
	int			fd;
	char	   *base;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", location->postmaster_pid, location->fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		ereport(FATAL,
				(errmsg("could not open \"%s\": %m", path)));
	base = mmap(NULL, location->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (base == MAP_FAILED)
		ereport(FATAL,
				(errmsg("could not map \"%s\": %m", path)));
	LeaveRingsOutOfDumps(base);
	close(fd);
	return base;
}

char *
SnapScopeMemfileOpen(uint32 slots, uint32 ring_capacity)
{
	SnapScopeMemfileLocation *location;
	bool		found;

	location = ShmemInitStruct("Snapshot Scope File", sizeof(SnapScopeMemfileLocation), &found);
	if (memfile_base == NULL)
		memfile_base = found ? ReopenMemfile(location) : CreateMemfile(slots, ring_capacity);
	else if (!found)
	{
		/* Crash restart: the counters go on; nobody owns a slot, and no event is under way. */
		SnapScopeHeader(memfile_base)->incarnation++;
		for (uint32 slot = 0; slot < slots; slot++)
			SnapScopeCountersOf(memfile_base, slot)->owner_pid = 0;
	}
	if (!found)
	{
		location->postmaster_pid = MyProcPid;
		location->fd = memfile_fd;
		location->bytes = SnapScopeHeader(memfile_base)->total_bytes;
	}
	return memfile_base;
}
