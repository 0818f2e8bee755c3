/*
 * abi.h - the contract between an instrumented PostgreSQL and the collector.
 *
 * Included by the server (C), by the eBPF programs (C, clang -target bpf) and
 * by the collector (C++20): fixed-width plain types, no pointers, no bitfields.
 *
 * The server's postmaster creates one memory file (memfd, name
 * SNAPSCOPE_MEMFD_NAME) and every backend inherits its mapping.  A collector
 * opens it through the postmaster's descriptor in procfs.  Four regions follow
 * each other, each starting on a page:
 *
 *   header    written once by the postmaster; read-only to everybody else
 *   consumer  the only words that a collector writes: one control block, then
 *             one tail block a slot
 *   counters  one block a slot, written by the slot's owner alone
 *   rings     one head block and `ring_capacity` records a slot, written by
 *             the slot's owner alone
 *
 * A "slot" is a PGPROC index (pgprocno).  At most one process owns a slot at a
 * time, so every server-side word has a single writer and needs no lock.
 *
 * Ring protocol (single producer, single consumer, drop newest)
 *   producer  if head - tail == capacity: lost += 1, return;
 *             write record[head % capacity]; head := head + 1 (release)
 *   consumer  h := head (acquire); read records [tail, h); tail := h (release)
 * head and tail only ever grow (64 bits).  The producer never trusts tail: it
 * keeps the last plausible value, and a tail outside [head - capacity, head]
 * is ignored, so a broken collector can cost records, never the server.
 *
 * Who may turn the rings on: the holder of an exclusive flock() on the memory
 * file; the kernel drops it when the holder dies.  The rings run while
 * control.enabled != 0 and the lease has not run out; a lease further ahead
 * than max_lease_ticks counts as run out, so that no collector, however it
 * ends, leaves a ring running.
 */
#ifndef SNAPSCOPE_PROBES_ABI_H
#define SNAPSCOPE_PROBES_ABI_H

#ifndef __VMLINUX_H__
#include <stdint.h>
#endif

#define SNAPSCOPE_ABI_MAGIC 0x314e435350414e53ULL /* "SNAPSCN1" read as little-endian bytes */
#define SNAPSCOPE_ABI_VERSION 2U
#define SNAPSCOPE_MEMFD_NAME "snapscope"
#define SNAPSCOPE_BLOCK_BYTES 128U /* two lines: adjacent-line prefetch pairs them */
#define SNAPSCOPE_PAGE_BYTES 4096U

/* What a stamp counts. */
enum snapscope_clock {
    SNAPSCOPE_CLOCK_TSC = 1,         /* invariant time stamp counter */
    SNAPSCOPE_CLOCK_MONOTONIC_NS = 2 /* CLOCK_MONOTONIC, where the TSC is not invariant */
};

/* snapshot_cache; further modes are appended. */
enum snapscope_mode {
    SNAPSCOPE_MODE_OFF = 0,
    SNAPSCOPE_MODE_COPY = 1,
    SNAPSCOPE_MODE_SPIN = 2,
    SNAPSCOPE_MODE_LOCKFREE = 3
};

/* How one snapshot was come by.  taken = reused + rebuilt + private_scan. */
enum snapscope_outcome {
    SNAPSCOPE_OUTCOME_NONE = 0,
    SNAPSCOPE_OUTCOME_REUSED = 1,      /* copied from a valid shared copy */
    SNAPSCOPE_OUTCOME_REBUILT = 2,     /* this call filled the shared copy */
    SNAPSCOPE_OUTCOME_PRIVATE_SCAN = 3 /* the stock scan, for the caller alone */
};

/* Why a valid shared copy was wiped. */
enum snapscope_reason {
    SNAPSCOPE_REASON_NONE = 0,
    SNAPSCOPE_REASON_XACT_END = 1,         /* a transaction with an xid ended */
    SNAPSCOPE_REASON_PREPARED_END = 2,     /* COMMIT or ROLLBACK PREPARED */
    SNAPSCOPE_REASON_PROC_ADD_XID = 3,     /* an entry with an xid entered the array */
    SNAPSCOPE_REASON_SUBXACT_ABORT = 4,    /* subtransaction xids were removed */
    SNAPSCOPE_REASON_STANDBY_EXPIRE = 5,   /* xids left KnownAssignedXids */
    SNAPSCOPE_REASON_STANDBY_ASSIGN = 6,   /* subxids moved out of KnownAssignedXids */
    SNAPSCOPE_REASON_RECOVERY_INFO = 7,    /* running-xacts record applied */
    SNAPSCOPE_REASON_RECOVERY_END = 8,     /* latestCompletedXid set at end of recovery */
    SNAPSCOPE_REASON_VACUUM_FLAG = 9,      /* lazy VACUUM hid itself from snapshots */
    SNAPSCOPE_REASON_DECODING_FLAG = 10,   /* logical decoding entered or left */
    SNAPSCOPE_REASON_RESTORED_XMIN = 11,   /* flags copied with an imported xmin */
    SNAPSCOPE_REASON_SLOT_XMIN = 12,       /* what replication slots hold back has changed */
    SNAPSCOPE_REASON_COUNT = 13
};

/*
 * Event types.  a..d are the record's words; unused ones are 0.
 * Per type, in words: what a, b, c and d hold.
 */
enum snapscope_event {
    SNAPSCOPE_EV_NONE = 0,
    SNAPSCOPE_EV_SNAPSHOT_START = 1,  /* - */
    SNAPSCOPE_EV_SNAPSHOT_DONE = 2,   /* a xcnt, b subxcnt, c xmin, d xmax; outcome, flags, lines */
    SNAPSCOPE_EV_REBUILD = 3,         /* a xcnt, b subxcnt, c generation (low 32), d ticks it took; lines */
    SNAPSCOPE_EV_WAIT = 4,            /* a ticks waited (saturating), b wait kind, c pauses, d 1 if it gave up */
    SNAPSCOPE_EV_COPY = 5,            /* a xids copied, b subxids copied, c generation (low 32), d own xids dropped; lines */
    SNAPSCOPE_EV_INVALIDATE = 6,      /* a generation that ended (low 32); outcome holds the reason */
    SNAPSCOPE_EV_XID_ASSIGNED = 7,    /* a xid, b 1 for a subtransaction */
    SNAPSCOPE_EV_XACT_END = 8,        /* a xid, or 0 where none was assigned */
    SNAPSCOPE_EV_XMIN_SET = 9,        /* a xmin */
    SNAPSCOPE_EV_XMIN_CLEARED = 10,   /* a xmin before, b xmin after (0 none) */
    SNAPSCOPE_EV_SLOT_TAKEN = 11,     /* a pid, b database oid or 0 */
    SNAPSCOPE_EV_SLOT_RELEASED = 12,  /* a pid */
    SNAPSCOPE_EV_RING_ON = 13,        /* a,b snapshots taken by this slot before its events begin (low, high 32) */
    SNAPSCOPE_EV_HORIZON_REFRESH = 14, /* a new horizon; lines */
    SNAPSCOPE_EV_COUNT = 15
};

/* snapscope_record.flags of SNAPSHOT_DONE */
#define SNAPSCOPE_FLAG_SUBOVERFLOWED 0x01U
#define SNAPSCOPE_FLAG_RECOVERY 0x02U
#define SNAPSCOPE_FLAG_WAITED 0x04U
#define SNAPSCOPE_FLAG_LOCKFREE 0x08U /* reused: copied without ProcArrayLock */
#define SNAPSCOPE_FLAG_KEPT 0x10U     /* reused: the caller's last snapshot still held, nothing was copied */
#define SNAPSCOPE_FLAG_RETRIES_SHIFT 8 /* above: times that the copy was wiped while it was read */

/* wait kinds */
#define SNAPSCOPE_WAIT_LOCK 1U    /* ProcArrayLock was not free at once */
#define SNAPSCOPE_WAIT_BUILDER 2U /* another backend was building */

/*
 * One event, 32 bytes: two a cache line, none straddles.
 * 16 bits of lines hold 65535 x 64 bytes of proc array, above the 262143
 * connections that the server allows only for arrays that saturate it.
 */
struct snapscope_record {
    uint64_t ticks; /* in the header's clock */
    uint8_t type;   /* enum snapscope_event */
    uint8_t outcome; /* enum snapscope_outcome; for INVALIDATE enum snapscope_reason */
    uint16_t cpu;
    uint16_t lines; /* cache lines of the proc array (or of the copy) read; saturates */
    uint16_t flags;
    uint32_t a;
    uint32_t b;
    uint32_t c;
    uint32_t d;
};

/*
 * Counters of one slot since the server started; a new owner goes on where the
 * last one stopped.  Padded so that no two slots share a line pair.
 */
struct snapscope_counters {
    uint64_t taken;
    uint64_t reused;
    uint64_t rebuilt;
    uint64_t private_scans;
    uint64_t waited;            /* snapshots that had to wait (cached modes only) */
    uint64_t horizon_refreshes; /* rescans of xmins alone */
    uint64_t lines_scanned;     /* 64-byte lines of the proc array's hot entries read by scans */
    uint64_t xids_assigned;
    uint64_t xacts_with_xid;    /* transactions ended */
    uint64_t xacts_without_xid;
    uint64_t invalidations[SNAPSCOPE_REASON_COUNT];
    uint64_t events_written;
    uint64_t events_lost; /* ring full */
    uint32_t owner_pid;   /* 0 while the slot is free */
    uint32_t database;    /* oid, 0 unknown */
    uint64_t lockfree;    /* of reused: copied without ProcArrayLock */
    uint64_t kept;        /* of reused: the caller's last snapshot still held, nothing was copied */
    uint64_t retries;     /* reads thrown away because the copy was wiped meanwhile */
    uint64_t spins;       /* pauses while another backend built the copy */
    uint64_t gave_up;     /* snapshots that paused and then scanned for themselves */
    uint64_t reserved;    /* zero */
};

/* Header region, one page. */
struct snapscope_header {
    uint64_t magic;
    uint32_t version;
    uint32_t header_bytes;   /* sizeof(struct snapscope_header) */
    uint64_t total_bytes;    /* of the file; sealed */
    uint32_t postmaster_pid; /* in the server's pid namespace */
    uint32_t mode;           /* enum snapscope_mode */
    uint32_t clock;          /* enum snapscope_clock */
    uint32_t slots;          /* PGPROC entries */
    uint32_t max_connections;
    uint32_t max_backends;
    uint32_t server_version; /* e.g. 130016 */
    uint32_t incarnation;    /* grows by one at each crash restart */
    uint64_t max_lease_ticks;
    uint64_t consumer_offset; /* struct snapscope_control, then tails */
    uint64_t tails_offset;    /* struct snapscope_tail [slots] */
    uint64_t counters_offset; /* struct snapscope_counters [slots] */
    uint64_t rings_offset;    /* slots x ring_stride */
    uint64_t ring_stride;     /* head block + records, whole pages */
    uint32_t ring_capacity;   /* records, a power of two */
    uint32_t record_bytes;    /* sizeof(struct snapscope_record) */
    uint64_t start_ticks;     /* stamp at creation */
    /* The arrays that a snapshot reads, in the server's address space. */
    uint64_t pgxact_address;
    uint64_t pgxact_stride;
    uint64_t pgprocnos_address;
    uint64_t pgproc_address;
    uint64_t pgproc_stride;
    uint64_t lock_address;     /* ProcArrayLock */
    uint64_t copy_address;     /* shared snapshot copy; 0 in mode off */
    uint64_t copy_bytes;       /* its header and its arrays */
    uint64_t segment_address;  /* main shared memory segment */
    uint64_t segment_bytes;
};

/* The only words that the collector writes. */
struct snapscope_control {
    uint64_t lease_ticks; /* rings run until then */
    uint32_t enabled;
    uint32_t consumer_pid; /* for messages; the flock decides */
    uint8_t pad[SNAPSCOPE_BLOCK_BYTES - 16];
};

struct snapscope_tail {
    uint64_t tail;
    uint8_t pad[SNAPSCOPE_BLOCK_BYTES - 8];
};

/* Head block of a ring; the records follow it. */
struct snapscope_head {
    uint64_t head;
    uint8_t pad[SNAPSCOPE_BLOCK_BYTES - 8];
};

#ifdef __cplusplus
#define SNAPSCOPE_ABI_ASSERT(cond, name) static_assert(cond, #name)
#else
#define SNAPSCOPE_ABI_ASSERT(cond, name) _Static_assert(cond, #name)
#endif
SNAPSCOPE_ABI_ASSERT(sizeof(struct snapscope_record) == 32, record_is_half_a_line);
SNAPSCOPE_ABI_ASSERT(sizeof(struct snapscope_counters) == 256, counters_fill_two_line_pairs);
SNAPSCOPE_ABI_ASSERT(sizeof(struct snapscope_control) == SNAPSCOPE_BLOCK_BYTES, control_is_one_block);
SNAPSCOPE_ABI_ASSERT(sizeof(struct snapscope_tail) == SNAPSCOPE_BLOCK_BYTES, tail_is_one_block);
SNAPSCOPE_ABI_ASSERT(sizeof(struct snapscope_head) == SNAPSCOPE_BLOCK_BYTES, head_is_one_block);
SNAPSCOPE_ABI_ASSERT(sizeof(struct snapscope_header) <= SNAPSCOPE_PAGE_BYTES, header_fits_a_page);

#endif
