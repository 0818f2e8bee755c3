/*
 * snapscope_emit.h
 *	  Telling events to whoever listens; used by snapscope.c alone.
 */
#ifndef STORAGE_SNAPSCOPE_EMIT_H
#define STORAGE_SNAPSCOPE_EMIT_H

#include "snapscope/probes/emit.h"

extern const struct snapscope_control *snapscope_control;	/* NULL before it is mapped */

/* A collector holds the rings, or a tracer the probes. */
static inline bool
SnapScopeListening(void)
{
	return SNAPSCOPE_USDT_LISTENING() ||
		(snapscope_control != NULL &&
		 __atomic_load_n(&snapscope_control->enabled, __ATOMIC_RELAXED) != 0);
}

/* A record of TYPE, stamped now. */
extern struct snapscope_record SnapScopeNewRecord(enum snapscope_event type);
extern void SnapScopeEmit(const struct snapscope_record *record);
/* A record of TYPE with words A and B. */
extern void SnapScopeEmitWords(enum snapscope_event type, uint32 a, uint32 b);

/* The counters and the ring of MyProc's slot. */
extern void SnapScopeTakeSlot(void);
extern void SnapScopeGiveSlotBack(void);

#endif
