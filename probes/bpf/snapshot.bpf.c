// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * snapshot.bpf.c - counts the USDT probes of one server (probes/usdt.h).
 *
 * One body serves all probes: the attach cookie says which event it is.  The
 * probes sit in the binary, so they fire in every server that runs it; the
 * first thing done is to leave unless the process is a child of the one
 * postmaster that is meant, which holds for children of any age.
 *
 * Used through its skeleton by collector/src/ebpf_source.cpp.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/usdt.bpf.h>

#include "snapshot_bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct task_struct {
    int tgid;
    struct task_struct* real_parent;
} __attribute__((preserve_access_index));

const volatile unsigned int target_postmaster = 0;
const volatile unsigned int want_events = 0;
/* Set by the collector while it observes, so that all its sources begin and end together. */
unsigned int counting = 0;

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, unsigned int);
    __type(value, struct snapscope_bpf_counts);
} counts SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, SNAPSCOPE_BPF_OUTCOMES);
    __type(key, unsigned int);
    __type(value, struct snapscope_bpf_durations);
} durations SEC(".maps");

/* When a process began its snapshot. */
struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, 16384);
    __type(key, unsigned int);
    __type(value, unsigned long long);
} starts SEC(".maps");

/* Resized by the collector: full size only when events are wanted. */
struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 4096);
} events SEC(".maps");

static __always_inline int of_target(void) {
    struct task_struct* task = (struct task_struct*)bpf_get_current_task();
    return BPF_CORE_READ(task, real_parent, tgid) == (int)target_postmaster;
}

static __always_inline unsigned int argument(struct pt_regs* ctx, unsigned int number) {
    long value = 0;
    bpf_usdt_arg(ctx, number, &value);
    return (unsigned int)value;
}

static __always_inline void note_duration(unsigned int pid, unsigned int outcome, unsigned long long now) {
    unsigned long long* start = bpf_map_lookup_elem(&starts, &pid);
    if (!start)
        return;
    unsigned long long took = now > *start ? now - *start : 0;
    bpf_map_delete_elem(&starts, &pid);
    struct snapscope_bpf_durations* histogram = bpf_map_lookup_elem(&durations, &outcome);
    if (!histogram)
        return;
    unsigned int bucket = snapscope_bucket_of(took);
    if (bucket >= SNAPSCOPE_BUCKETS)
        return;
    histogram->buckets[bucket]++;
    if (!histogram->any || took < histogram->min)
        histogram->min = took;
    if (took > histogram->max)
        histogram->max = took;
    histogram->any = 1;
}

static __always_inline void emit(struct pt_regs* ctx, unsigned int type, unsigned int pid, unsigned long long now,
                                 struct snapscope_bpf_counts* count) {
    struct snapscope_bpf_event* event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
    if (!event) {
        count->reserve_failed++;
        return;
    }
    event->record.ticks = now;
    event->record.type = type;
    event->record.cpu = bpf_get_smp_processor_id();
    event->slot = argument(ctx, 0);
    event->record.outcome = argument(ctx, 1);
    event->record.lines = argument(ctx, 2);
    event->record.flags = argument(ctx, 3);
    event->record.a = argument(ctx, 4);
    event->record.b = argument(ctx, 5);
    event->record.c = argument(ctx, 6);
    event->record.d = argument(ctx, 7);
    event->pid = pid;
    bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

SEC("usdt")
int on_probe(struct pt_regs* ctx) {
    if (!counting || !of_target())
        return 0;
    unsigned int zero = 0;
    struct snapscope_bpf_counts* count = bpf_map_lookup_elem(&counts, &zero);
    unsigned int type = (unsigned int)bpf_usdt_cookie(ctx);
    if (!count || type >= SNAPSCOPE_EV_COUNT)
        return 0;
    unsigned long long now = bpf_ktime_get_ns();
    unsigned int pid = bpf_get_current_pid_tgid() >> 32;

    count->types[type]++;
    if (type == SNAPSCOPE_EV_SNAPSHOT_START) {
        bpf_map_update_elem(&starts, &pid, &now, BPF_ANY);
    } else if (type == SNAPSCOPE_EV_SNAPSHOT_DONE) {
        unsigned int outcome = argument(ctx, 1);
        if (outcome < SNAPSCOPE_BPF_OUTCOMES) {
            count->outcomes[outcome]++;
            note_duration(pid, outcome, now);
        }
        unsigned int flags = argument(ctx, 3);
        if (flags & SNAPSCOPE_FLAG_WAITED)
            count->waited++;
        if (flags & SNAPSCOPE_FLAG_LOCKFREE)
            count->lockfree++;
        if (flags & SNAPSCOPE_FLAG_KEPT)
            count->kept++;
        count->retries += (flags >> SNAPSCOPE_FLAG_RETRIES_SHIFT) & 0xff;
    } else if (type == SNAPSCOPE_EV_WAIT) {
        count->spins += (unsigned int)argument(ctx, 6);
        count->gave_up += (unsigned int)argument(ctx, 7);
    } else if (type == SNAPSCOPE_EV_INVALIDATE) {
        unsigned int reason = argument(ctx, 1);
        if (reason < SNAPSCOPE_REASON_COUNT)
            count->reasons[reason]++;
    } else if (type == SNAPSCOPE_EV_XACT_END) {
        if (argument(ctx, 4))
            count->xacts_with_xid++;
    }
    if (want_events)
        emit(ctx, type, pid, now, count);
    return 0;
}
