/*
 * bench_lttng_emitter EVENTS: emits so many events on CPU 0 through LTTng-UST
 * and prints the thread CPU time of one in ns.  A program of its own, since
 * LTTng's threads do not survive a fork.
 */
#define _GNU_SOURCE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bench_tracepoint.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double thread_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static __attribute__((noinline)) void emit_one(uint32_t i) {
    struct snapscope_record record;
    memset(&record, 0, sizeof record);
    record.type = SNAPSCOPE_EV_SNAPSHOT_DONE;
    record.outcome = SNAPSCOPE_OUTCOME_REUSED;
    record.a = i;
    lttng_ust_tracepoint(snapscope_bench, snapshot_done, &record);
}

int main(int argc, char** argv) {
    cpu_set_t set;
    const uint32_t events = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    if (events == 0)
        return 2;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    (void)sched_setaffinity(0, sizeof set, &set);
    const double start = thread_ns();
    for (uint32_t i = 0; i < events; ++i)
        emit_one(i);
    printf("%.3f\n", (thread_ns() - start) / events);
    return 0;
}
