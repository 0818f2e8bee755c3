/*
 * What the plug-in, the guest's program and the driver agree on.
 *
 * The plug-in writes one stream of records, in the order in which the guest's
 * accesses happened.  The guest tells the plug-in things by loads: it maps one
 * page at CHANNEL, and a load from CHANNEL + byte says that byte; a load from
 * CHANNEL + 256 ends the message.  The plug-in sees addresses, never values.
 */
#ifndef SNAPSCOPE_EMULATOR_STREAM_H
#define SNAPSCOPE_EMULATOR_STREAM_H

#include <stdint.h>

/* The guest's program is linked to lie here, where nothing else does. */
#define SNAPSCOPE_GUEST_TEXT UINT64_C(0x60000000)
#define SNAPSCOPE_GUEST_TEXT_END UINT64_C(0x60400000)
#define SNAPSCOPE_CHANNEL UINT64_C(0x61000000)
#define SNAPSCOPE_CHANNEL_END_OF_MESSAGE 256
/* A page of the server's memory is mapped here once, so that the plug-in learns where it really lies. */
#define SNAPSCOPE_WINDOW UINT64_C(0x62000000)
/* Accessed by the guest's program in a known way: do reads, writes and locked operations come apart? */
#define SNAPSCOPE_SELF_TEST UINT64_C(0x63000000)

#define SNAPSCOPE_GUEST_PAGE 4096
#define SNAPSCOPE_GUEST_LINE 64
#define SNAPSCOPE_MARKS_MAX 16

/*
 * Messages:
 *	 page HEX-PAGE HEX-MASK   watch these lines of the page of that number; a
 *							  load from WINDOW follows
 *	 pace N				      barrier every N instructions; 0: none
 *	 start N				  begin recording phase N
 *	 stop					  end it
 *	 tsc HEX				  what the guest's program has just read of its TSC
 *	 event SLOT HEX HEX HEX HEX  an event of the server (struct snapscope_record), after stop
 *	 told					  that was all of them
 */
enum snapscope_stream_kind {
    SNAPSCOPE_STREAM_READ = 1, /* as QEMU has them in its memory information */
    SNAPSCOPE_STREAM_WRITE = 2,
    SNAPSCOPE_STREAM_LOCKED = 3, /* read, modified and written at once */
    SNAPSCOPE_STREAM_MARK = 4,   /* an instruction that was asked for; `detail` is which */
    SNAPSCOPE_STREAM_START = 5,  /* address: the phase */
    SNAPSCOPE_STREAM_STOP = 6,
    SNAPSCOPE_STREAM_COUNT = 7, /* after STOP: `detail` says of what, `address` how many */
    SNAPSCOPE_STREAM_STAMP = 8, /* the TSC is about to be read; address: the host's then */
    /* After the counts, three records an event: (ticks, slot), (word 1, word 2), (word 3); `detail` is which. */
    SNAPSCOPE_STREAM_EVENT = 9,
};

enum snapscope_stream_count {
    SNAPSCOPE_COUNT_BARRIERS = 0, /* rounds of the barrier */
    SNAPSCOPE_COUNT_TIMEOUTS = 1, /* of them, not everybody came */
    SNAPSCOPE_COUNT_FOREIGN = 2,  /* accesses of other programs that use the same addresses: left out */
    SNAPSCOPE_COUNT_TSC_AHEAD = 3, /* the guest's TSC, of the host's; modulo 2^64 */
};

struct snapscope_stream_record {
    uint64_t address;
    uint64_t pc;
    uint32_t clock; /* instructions of this vcpu since pacing began, modulo 2^32 */
    uint8_t vcpu;
    uint8_t kind;
    uint8_t detail; /* of an access: bytes */
    uint8_t zero;
};

#endif
