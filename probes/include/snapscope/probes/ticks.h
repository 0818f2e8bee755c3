/*
 * ticks.h - the stamp of an event.
 */
#ifndef SNAPSCOPE_PROBES_TICKS_H
#define SNAPSCOPE_PROBES_TICKS_H

#include <snapscope/probes/abi.h>
#include <time.h>

/* A stamp in the header's clock, and the CPU that it was taken on. */
static inline uint64_t snapscope_ticks(uint32_t clock, uint16_t* cpu) {
#if defined(__x86_64__)
    if (__builtin_expect(clock == SNAPSCOPE_CLOCK_TSC, 1)) {
        uint32_t low, high, aux;
        __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(aux));
        *cpu = (uint16_t)(aux & 0xfff); /* Linux: node << 12 | cpu */
        return ((uint64_t)high << 32) | low;
    }
#endif
    {
        struct timespec now;
        (void)clock;
        clock_gettime(CLOCK_MONOTONIC, &now);
        *cpu = 0xffff; /* unknown */
        return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
    }
}

#endif
