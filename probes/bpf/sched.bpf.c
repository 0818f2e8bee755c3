// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * sched.bpf.c - how long, and on which CPUs, the children of one postmaster
 * ran, and how often they moved to another CPU, cache, node and socket.  Children of any age count, also those that come and go meanwhile.
 *
 * Used through its skeleton by collector/src/sched_source.cpp.
 */
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "sched_bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct task_struct {
    int pid;
    int tgid;
    struct task_struct* real_parent;
} __attribute__((preserve_access_index));

const volatile unsigned int target_postmaster = 0;
/* Where the first switch of a CPU shows that a child had been running; 0: nothing is counted. */
unsigned long long start_ns = 0;

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, unsigned int);
    __type(value, struct snapscope_sched_totals);
} totals SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, unsigned int);
    __type(value, struct snapscope_sched_cpu);
} cpus SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 65536);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct snapscope_sched_key);
    __type(value, unsigned long long);
} runs SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 16384);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, unsigned int);
    __type(value, struct snapscope_sched_task);
} tasks SEC(".maps");

/* By CPU number; sized and filled before the program runs. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, unsigned int);
    __type(value, struct snapscope_sched_place);
} places SEC(".maps");

static __always_inline int of_target(struct task_struct* task) {
    return task->real_parent->tgid == (int)target_postmaster;
}

static __always_inline void add_run(struct snapscope_sched_totals* total, unsigned int tgid, unsigned int cpu,
                                    unsigned long long ran) {
    struct snapscope_sched_key key = {.tgid = tgid, .cpu = cpu};
    unsigned long long* sum = bpf_map_lookup_elem(&runs, &key);

    total->run_ns += ran;
    if (sum)
        *sum += ran; /* this CPU alone writes this key */
    else if (bpf_map_update_elem(&runs, &key, &ran, BPF_ANY))
        total->untracked++;
}

static __always_inline int crosses(unsigned int from, unsigned int to) {
    return from != SNAPSCOPE_SCHED_UNKNOWN && to != SNAPSCOPE_SCHED_UNKNOWN && from != to;
}

static __always_inline int whole(const struct snapscope_sched_place* place) {
    return place && place->llc != SNAPSCOPE_SCHED_UNKNOWN && place->node != SNAPSCOPE_SCHED_UNKNOWN &&
           place->socket != SNAPSCOPE_SCHED_UNKNOWN;
}

static __always_inline void note_move(struct snapscope_sched_moves* moves, const struct snapscope_sched_place* from,
                                      const struct snapscope_sched_place* to) {
    moves->all++;
    moves->unplaced += !whole(from) || !whole(to);
    if (!from || !to)
        return;
    moves->llc += crosses(from->llc, to->llc);
    moves->node += crosses(from->node, to->node);
    moves->socket += crosses(from->socket, to->socket);
}

static __always_inline void note_arrival(struct snapscope_sched_totals* total, unsigned int tgid, unsigned int cpu) {
    struct snapscope_sched_task* task = bpf_map_lookup_elem(&tasks, &tgid);

    if (!task) {
        struct snapscope_sched_task fresh = {.last_cpu = cpu};
        if (bpf_map_update_elem(&tasks, &tgid, &fresh, BPF_ANY))
            total->untracked++;
    } else if (task->last_cpu != cpu) {
        const struct snapscope_sched_place* from = bpf_map_lookup_elem(&places, &task->last_cpu);
        const struct snapscope_sched_place* to = bpf_map_lookup_elem(&places, &cpu);

        note_move(&task->moves, from, to);
        note_move(&total->moves, from, to);
        task->last_cpu = cpu;
    }
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, _Bool preempt, struct task_struct* prev, struct task_struct* next) {
    unsigned int zero = 0;
    struct snapscope_sched_totals* total = bpf_map_lookup_elem(&totals, &zero);
    struct snapscope_sched_cpu* here = bpf_map_lookup_elem(&cpus, &zero);
    unsigned long long start = *(volatile unsigned long long*)&start_ns; /* the collector may end it now */
    if (!total || !here || start == 0)
        return 0;
    unsigned long long now = bpf_ktime_get_ns();
    unsigned int cpu = bpf_get_smp_processor_id();

    if (here->tgid != 0 && here->tgid == (unsigned int)prev->tgid) {
        add_run(total, here->tgid, cpu, now - here->since_ns);
    } else if (!here->known && of_target(prev)) {
        note_arrival(total, prev->tgid, cpu);
        add_run(total, prev->tgid, cpu, now > start ? now - start : 0);
    }
    here->known = 1;
    here->tgid = 0;
    if (next->pid != 0 && of_target(next)) {
        note_arrival(total, next->tgid, cpu);
        here->since_ns = now;
        here->tgid = next->tgid;
    }
    return 0;
}
