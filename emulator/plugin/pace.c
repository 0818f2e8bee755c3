/*
 * Pacing: at most as many vcpus run at once as the host has CPUs free, in
 * slices of milliseconds, so left alone each vcpu runs 100 000 instructions
 * without anybody else.  Here all that are not idle wait for each other every N
 * instructions, which makes the interleaving that of machines that run at the
 * same speed, to within N, whatever else the host does.
 *
 * Nobody waits for long: QEMU stops all vcpus now and then, and who waits here
 * cannot be stopped.  A barrier that not everybody came to is counted.
 */
#include "plugin.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define PATIENCE_NS 10000000

struct vcpu {
    _Atomic uint64_t clock; /* written by its own thread */
    _Atomic uint64_t base;  /* its clock when pacing began, and what it slept through since */
    bool awake;
} __attribute__((aligned(128)));

static struct vcpu vcpus[VCPUS_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* over all below, and `awake` */
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static _Atomic uint64_t limit = UINT64_MAX; /* where the next barrier is */
static uint64_t step, rounds, timeouts;
static unsigned awake, waiting;

static uint64_t paced_clock(const struct vcpu* v) {
    return atomic_load_explicit(&v->clock, memory_order_relaxed) - atomic_load_explicit(&v->base, memory_order_relaxed);
}

/* The lock is held. */
static void next_round(void) {
    waiting = 0;
    rounds++;
    atomic_store(&limit, atomic_load(&limit) + step);
    pthread_cond_broadcast(&moved);
}

static void release_if_all_came(void) {
    if (step != 0 && waiting > 0 && waiting >= awake)
        next_round();
}

/* The lock is held. */
static void wait_for_others(void) {
    const uint64_t round = rounds;
    struct timespec until;

    waiting++;
    release_if_all_came();
    if (round != rounds)
        return;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PATIENCE_NS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    while (round == rounds && step != 0)
        if (pthread_cond_timedwait(&moved, &lock, &until) != 0 && round == rounds && step != 0) {
            timeouts++;
            next_round();
        }
}

void pace_executed(unsigned vcpu, uint64_t instructions) {
    struct vcpu* v = &vcpus[vcpu];

    atomic_store_explicit(&v->clock, atomic_load_explicit(&v->clock, memory_order_relaxed) + instructions,
                          memory_order_relaxed);
    if (paced_clock(v) < atomic_load_explicit(&limit, memory_order_relaxed))
        return;
    pthread_mutex_lock(&lock);
    while (step != 0 && paced_clock(v) >= atomic_load(&limit))
        wait_for_others();
    pthread_mutex_unlock(&lock);
}

void pace_vcpu_comes(unsigned vcpu) {
    struct vcpu* v = &vcpus[vcpu];

    pthread_mutex_lock(&lock);
    if (!v->awake) {
        v->awake = true;
        awake++;
        /* It does not have to make up for what it slept through. */
        if (step != 0) {
            const uint64_t now = atomic_load(&limit) - step;

            if (paced_clock(v) < now)
                atomic_store(&v->base, atomic_load(&v->clock) - now);
        }
    }
    pthread_mutex_unlock(&lock);
}

void pace_vcpu_goes(unsigned vcpu) {
    struct vcpu* v = &vcpus[vcpu];

    pthread_mutex_lock(&lock);
    if (v->awake) {
        v->awake = false;
        awake--;
        release_if_all_came();
    }
    pthread_mutex_unlock(&lock);
}

void pace_set(uint64_t instructions) {
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < VCPUS_MAX; i++)
        atomic_store(&vcpus[i].base, atomic_load(&vcpus[i].clock));
    step = instructions;
    rounds = timeouts = 0;
    waiting = 0;
    atomic_store(&limit, instructions == 0 ? UINT64_MAX : instructions);
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&lock);
}

uint32_t pace_clock(unsigned vcpu) {
    return (uint32_t)paced_clock(&vcpus[vcpu]);
}

uint64_t pace_barriers(void) {
    return rounds;
}

uint64_t pace_timeouts(void) {
    return timeouts;
}
