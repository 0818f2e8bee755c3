// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * stock.bpf.c - what an unpatched server's exported functions and built-in USDT
 * probes tell: snapshots with their durations and outcomes, xids, transaction
 * ends, waits for ProcArrayLock.
 *
 * The probes sit in the binary, so they fire in every server that runs it; the
 * first thing done is to leave unless the process is a child of the one
 * postmaster that is meant.  None of them fires while a lock is held.
 *
 * Outcome of a snapshot, 14 and later: a reused one keeps the completion count
 * that it was built at; a rebuild stores the present one, which differs, or else
 * it would have been reused.
 *
 * Used through its skeleton by collector/src/stock_probes.cpp.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/usdt.bpf.h>

#include "stock_bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct task_struct {
    int tgid;
    struct task_struct* real_parent;
} __attribute__((preserve_access_index));

/* SnapshotData up to suboverflowed; the same in 13 to 18. */
struct snapshot_head {
    unsigned int type, xmin, xmax, pad;
    unsigned long long xip;
    unsigned int xcnt, pad2;
    unsigned long long subxip;
    int subxcnt;
    unsigned char suboverflowed;
} __attribute__((packed));

const volatile unsigned int target_postmaster = 0;
const volatile unsigned int everyone = 0; /* no server is meant: the cost of a probe is measured */
const volatile unsigned int want_events = 0;
const volatile unsigned int row_count = 0;
const volatile unsigned int cpu_count = 1; /* possible ones */
/* Where a process keeps its slot number: at number_address; or at number_offset of
   what the pointer at my_proc_address points to; neither known: rows by pid. */
const volatile unsigned long long number_address = 0;
const volatile unsigned long long my_proc_address = 0;
const volatile unsigned int number_offset = 0;
const volatile unsigned int fields_known = 0; /* struct snapshot_head holds */
const volatile unsigned int count_offset = 0; /* of SnapshotData.snapXactCompletionCount; 0: none */
/* Set by the collector while it observes: since when; 0 for no longer. */
unsigned long long counting_since = 0;

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1);
    __type(key, unsigned int);
    __type(value, struct snapscope_stock_row);
} rows SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, unsigned int);
    __type(value, struct snapscope_stock_hits);
} hits SEC(".maps");

/* Waits are rare: by mode. */
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 2);
    __type(key, unsigned int);
    __type(value, struct snapscope_bpf_durations);
} waits SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 16384);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, unsigned int);
    __type(value, unsigned int);
} row_of_pid SEC(".maps");

/* Resized by the collector: full size only when events are wanted. */
struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 4096);
} events SEC(".maps");

#define PROC_ARRAY_NAME 0x61727241636f7250ULL /* "ProcArra" in little-endian */

static __always_inline unsigned int process_id(void) {
    return bpf_get_current_pid_tgid() >> 32;
}

static __always_inline struct snapscope_stock_hits* hits_here(void) {
    unsigned int zero = 0;
    return bpf_map_lookup_elem(&hits, &zero);
}

/* Whether this hit is to be counted; it is in the hit counters either way. */
static __always_inline struct snapscope_stock_hits* enter(unsigned int probe) {
    struct snapscope_stock_hits* hit;
    struct task_struct* task;

    if (!counting_since)
        return 0;
    hit = hits_here();
    if (!hit)
        return 0;
    task = (struct task_struct*)bpf_get_current_task();
    if ((hit->last_task != (unsigned long long)task || hit->last_pid != process_id()) &&
        BPF_CORE_READ(task, real_parent, tgid) != (int)target_postmaster && !everyone) {
        hit->others[probe]++;
        return 0;
    }
    hit->own[probe]++;
    return hit;
}

/* Each CPU hands out every cpu_count-th row. */
static __always_inline int row_by_pid(struct snapscope_stock_hits* hit, unsigned int* row) {
    unsigned int pid = process_id();
    unsigned int* known = bpf_map_lookup_elem(&row_of_pid, &pid);

    if (known) {
        *row = *known;
        return 1;
    }
    *row = hit->rows_given++ * cpu_count + bpf_get_smp_processor_id();
    return *row < row_count && bpf_map_update_elem(&row_of_pid, &pid, row, BPF_ANY) == 0;
}

static __always_inline struct snapscope_stock_row* find_row(struct snapscope_stock_hits* hit, unsigned int* number) {
    unsigned long long task = bpf_get_current_task();
    struct snapscope_stock_row* row = 0;
    unsigned long long proc = 0;
    int known = 0;

    /* A process keeps its slot, and mostly its CPU from the entry to the return. */
    if (hit->last_task == task && hit->last_pid == process_id()) {
        *number = hit->last_row;
        return bpf_map_lookup_elem(&rows, number);
    }
    if (number_address)
        known = bpf_probe_read_user(number, sizeof(*number), (void*)number_address) == 0;
    else if (my_proc_address)
        known = bpf_probe_read_user(&proc, sizeof(proc), (void*)my_proc_address) == 0 && proc &&
                bpf_probe_read_user(number, sizeof(*number), (void*)(proc + number_offset)) == 0;
    else
        known = row_by_pid(hit, number);
    if (known)
        row = bpf_map_lookup_elem(&rows, number);
    if (!row) {
        hit->unplaced++;
        return 0;
    }
    hit->last_task = task;
    hit->last_pid = process_id();
    hit->last_row = *number;
    return row;
}

static __always_inline void emit(struct snapscope_stock_hits* hit, unsigned int number, unsigned int type,
                                 unsigned long long now, unsigned int outcome, const struct snapshot_head* head,
                                 unsigned int word) {
    struct snapscope_bpf_event* event;

    if (!want_events)
        return;
    event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
    if (!event) {
        hit->reserve_failed++;
        return;
    }
    event->record.ticks = now;
    event->record.type = type;
    event->record.outcome = outcome;
    event->record.cpu = bpf_get_smp_processor_id();
    event->record.lines = 0;
    event->record.flags = head && head->suboverflowed ? SNAPSCOPE_FLAG_SUBOVERFLOWED : 0;
    event->record.a = head ? head->xcnt : word;
    event->record.b = head ? head->subxcnt : 0;
    event->record.c = head ? head->xmin : 0;
    event->record.d = head ? head->xmax : 0;
    event->slot = number;
    event->pid = process_id();
    bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

SEC("uprobe")
int BPF_KPROBE(on_snapshot, void* snapshot) {
    struct snapscope_stock_hits* hit = enter(SNAPSCOPE_STOCK_SNAPSHOT);
    struct snapscope_stock_row* row;
    unsigned int number = 0;

    if (!hit)
        return 0;
    row = find_row(hit, &number);
    if (!row)
        return 0;
    row->entry_count = 0;
    if (count_offset)
        bpf_probe_read_user(&row->entry_count, sizeof(row->entry_count), (char*)snapshot + count_offset);
    row->started_ns = bpf_ktime_get_ns();
    emit(hit, number, SNAPSCOPE_EV_SNAPSHOT_START, row->started_ns, 0, 0, 0);
    return 0;
}

static __always_inline void note_duration(struct snapscope_stock_row* row, unsigned int kind, unsigned long long took) {
    unsigned int bucket = snapscope_bucket_of(took);

    if (kind >= SNAPSCOPE_STOCK_HISTOGRAMS || bucket >= SNAPSCOPE_BUCKETS)
        return;
    row->buckets[kind][bucket]++;
    if (took > row->max_ns[kind])
        row->max_ns[kind] = took;
    if (took < row->min_ns[kind] || !row->min_ns[kind])
        row->min_ns[kind] = took ? took : 1;
}

SEC("uretprobe")
int BPF_KRETPROBE(on_return, void* snapshot) {
    unsigned long long now = bpf_ktime_get_ns();
    struct snapscope_stock_hits* hit = enter(SNAPSCOPE_STOCK_RETURN);
    unsigned long long after = 0;
    struct snapscope_stock_row* row;
    struct snapshot_head head = {};
    unsigned int number = 0;
    unsigned int outcome = SNAPSCOPE_OUTCOME_NONE;

    if (!hit)
        return 0;
    row = find_row(hit, &number);
    if (!row || !row->started_ns || row->started_ns < counting_since) /* it began before we looked */
        return 0;
    if (count_offset) {
        bpf_probe_read_user(&after, sizeof(after), (char*)snapshot + count_offset);
        outcome = row->entry_count && after == row->entry_count ? SNAPSCOPE_OUTCOME_REUSED : SNAPSCOPE_OUTCOME_REBUILT;
    } else if (fields_known) {
        outcome = SNAPSCOPE_OUTCOME_PRIVATE_SCAN;
    }
    if (fields_known && (outcome != SNAPSCOPE_OUTCOME_REUSED || want_events))
        bpf_probe_read_user(&head, sizeof(head), snapshot);
    if (outcome == SNAPSCOPE_OUTCOME_REUSED) {
        row->reused++;
        note_duration(row, SNAPSCOPE_STOCK_REUSED, now - row->started_ns);
    } else {
        row->scanned++;
        row->xids += head.xcnt;
        row->subxids += (unsigned int)head.subxcnt;
        row->suboverflowed += head.suboverflowed;
        note_duration(row, SNAPSCOPE_STOCK_SCANNED, now - row->started_ns);
    }
    row->started_ns = 0;
    row->pid = process_id();
    emit(hit, number, SNAPSCOPE_EV_SNAPSHOT_DONE, now, outcome, &head, 0);
    return 0;
}

SEC("uprobe")
int BPF_KPROBE(on_xact_end, void* proc, unsigned int latest_xid) {
    struct snapscope_stock_hits* hit = enter(SNAPSCOPE_STOCK_XACT_END);
    struct snapscope_stock_row* row;
    unsigned int number = 0;

    if (!hit)
        return 0;
    row = find_row(hit, &number);
    if (!row)
        return 0;
    if (latest_xid)
        row->ends_with_xid++;
    else
        row->ends_without_xid++;
    if (want_events)
        emit(hit, number, SNAPSCOPE_EV_XACT_END, bpf_ktime_get_ns(), 0, 0, latest_xid);
    return 0;
}

SEC("uprobe")
int BPF_KPROBE(on_new_xid) {
    struct snapscope_stock_hits* hit = enter(SNAPSCOPE_STOCK_NEW_XID);
    struct snapscope_stock_row* row;
    unsigned int number = 0;

    if (!hit)
        return 0;
    row = find_row(hit, &number);
    if (!row)
        return 0;
    row->new_xids++;
    return 0;
}

/* arg1 the lock's name, arg2 its mode; the cookie is 1 at the end of a wait. */
SEC("usdt")
int on_wait(struct pt_regs* ctx) {
    struct snapscope_stock_hits* hit = enter(SNAPSCOPE_STOCK_WAIT);
    struct snapscope_bpf_durations* durations;
    struct snapscope_stock_row* row;
    unsigned long long now, took;
    unsigned long long name[2] = {};
    unsigned int number = 0, mode = 0, bucket = 0;
    long argument = 0;

    if (!hit || bpf_usdt_arg(ctx, 0, &argument))
        return 0;
    if (bpf_probe_read_user_str(name, sizeof(name), (void*)argument) != sizeof("ProcArray") ||
        name[0] != PROC_ARRAY_NAME || name[1] != 'y')
        return 0;
    row = find_row(hit, &number);
    if (!row || bpf_usdt_arg(ctx, 1, &argument))
        return 0;
    mode = (unsigned int)argument & 0xffU;
    now = bpf_ktime_get_ns();
    if (bpf_usdt_cookie(ctx) == 0) {
        row->wait_started_ns = now;
        row->wait_mode = mode;
        return 0;
    }
    if (!row->wait_started_ns || row->wait_started_ns < counting_since || mode != row->wait_mode || mode > SNAPSCOPE_STOCK_SHARED)
        return 0;
    took = now - row->wait_started_ns;
    row->wait_started_ns = 0;
    row->waits[mode]++;
    row->wait_ns[mode] += took;
    durations = bpf_map_lookup_elem(&waits, &mode);
    bucket = snapscope_bucket_of(took);
    if (!durations || bucket >= SNAPSCOPE_BUCKETS)
        return 0;
    durations->buckets[bucket]++;
    if (!durations->any || took < durations->min)
        durations->min = took;
    if (took > durations->max)
        durations->max = took;
    durations->any = 1;
    return 0;
}

/* How often a function is called, before it is decided what may be attached; the cookie is the probe. */
SEC("uprobe")
int on_estimate(struct pt_regs* ctx) {
    unsigned long long probe = bpf_get_attach_cookie(ctx);

    if (probe < SNAPSCOPE_STOCK_PROBES)
        enter(probe & 7);
    return 0;
}
