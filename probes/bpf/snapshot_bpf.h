/*
 * snapshot_bpf.h - what snapshot.bpf.c and the collector exchange through maps.
 * Plain C types: a skeleton copies the type names into the collector.
 */
#ifndef SNAPSCOPE_SNAPSHOT_BPF_H
#define SNAPSCOPE_SNAPSHOT_BPF_H

#ifdef __bpf__
#include <snapscope/probes/plain_types.h>
/* Keeps <stdint.h> out of the contract's headers. */
#define __VMLINUX_H__
#include <snapscope/probes/abi.h>
#include <snapscope/probes/buckets.h>
#undef __VMLINUX_H__
#else
#include <snapscope/probes/abi.h>
#include <snapscope/probes/buckets.h>
#endif

#define SNAPSCOPE_BPF_OUTCOMES 4

struct snapscope_bpf_counts {
    unsigned long long types[SNAPSCOPE_EV_COUNT];
    unsigned long long outcomes[SNAPSCOPE_BPF_OUTCOMES];
    unsigned long long reasons[SNAPSCOPE_REASON_COUNT];
    unsigned long long waited;
    unsigned long long lockfree, kept, retries; /* as struct snapscope_counters has them */
    unsigned long long spins, gave_up;
    unsigned long long xacts_with_xid;
    unsigned long long reserve_failed; /* events that found no room */
};

struct snapscope_bpf_durations {
    unsigned long long buckets[SNAPSCOPE_BUCKETS];
    unsigned long long min, max; /* ns, when any */
    unsigned long long any;
};

/* record.ticks is CLOCK_MONOTONIC here. */
struct snapscope_bpf_event {
    struct snapscope_record record;
    unsigned int slot;
    unsigned int pid;
};

#endif
