/* sched_bpf.h - what sched.bpf.c and the collector exchange through maps. */
#ifndef SNAPSCOPE_SCHED_BPF_H
#define SNAPSCOPE_SCHED_BPF_H

/* Where a CPU lies.  A group that nobody knows is SNAPSCOPE_SCHED_UNKNOWN; so is
 * every group of a CPU that came online later. */
#define SNAPSCOPE_SCHED_UNKNOWN 0xffffffffU

struct snapscope_sched_place {
    unsigned int llc;
    unsigned int node;
    unsigned int socket;
};

/* Moves to another CPU, and those of them into another group. */
struct snapscope_sched_moves {
    unsigned long long all;
    unsigned long long llc;
    unsigned long long node;
    unsigned long long socket;
    unsigned long long unplaced; /* from or to a CPU of which a group is not known */
};

struct snapscope_sched_totals {
    unsigned long long run_ns;
    struct snapscope_sched_moves moves;
    unsigned long long untracked; /* switches whose process found no room in a map */
};

/* Who runs on a CPU now; tgid 0: none of the server's. */
struct snapscope_sched_cpu {
    unsigned long long since_ns;
    unsigned int tgid;
    unsigned int known; /* a switch was seen on this CPU */
};

struct snapscope_sched_key {
    unsigned int tgid;
    unsigned int cpu;
};

struct snapscope_sched_task {
    struct snapscope_sched_moves moves;
    unsigned int last_cpu;
    unsigned int pad;
};

#endif
