/* sched_bpf.h - what sched.bpf.c and the collector exchange through maps. */
#ifndef SNAPSCOPE_SCHED_BPF_H
#define SNAPSCOPE_SCHED_BPF_H

struct snapscope_sched_totals {
    unsigned long long run_ns;
    unsigned long long migrations;
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
    unsigned long long migrations;
    unsigned int last_cpu;
    unsigned int pad;
};

#endif
