/*
 * The parts of the plug-in.  Callbacks of several vcpus run at once; each part
 * says what protects it.
 */
#ifndef SNAPSCOPE_EMULATOR_PLUGIN_H
#define SNAPSCOPE_EMULATOR_PLUGIN_H

#include "../shared/stream.h"

#include <stdbool.h>
#include <stdint.h>

#define VCPUS_MAX 256

/* ---- pace.c: all vcpus that are not idle wait for each other every N instructions ---- */

void pace_vcpu_comes(unsigned vcpu); /* starts, or is no longer idle */
void pace_vcpu_goes(unsigned vcpu);  /* is idle */
void pace_executed(unsigned vcpu, uint64_t instructions);
void pace_set(uint64_t instructions); /* 0: nobody waits for anybody */
uint32_t pace_clock(unsigned vcpu);
uint64_t pace_barriers(void);
uint64_t pace_timeouts(void);

/* ---- watch.c: which lines are recorded; changes only while nothing is ---- */

/* The lines of MASK on page PAGE (an address without its last 12 bits) are watched. */
void watch_page(uint64_t page, uint64_t mask);
/* Where the page named last really lies. */
void watch_place(uint64_t physical_page);

enum watched { WATCH_NO, WATCH_YES, WATCH_FOREIGN };
/* PHYSICAL gives the physical address where it is needed. */
enum watched watch_look(uint64_t address, uint64_t (*physical)(void* context), void* context);

/* ---- stream.c: the records, in the order of the calls; has a lock of its own ---- */

bool stream_open(const char* path);
void stream_put(const struct snapscope_stream_record* record);
void stream_flush(void);

#endif
