/* What a variant of the protocol leaves out; README.md lists them. */

#ifdef NO_READ_BARRIER_FIRST
#define BARRIER_FIRST(me)	skip
#else
#define BARRIER_FIRST(me)	READ_BARRIER(me)
#endif
#ifdef NO_FULL_BARRIER
#define BARRIER_PUBLISHED(me)	READ_BARRIER(me)
#else
#define BARRIER_PUBLISHED(me)	FULL_BARRIER(me)
#endif
#ifdef NO_READ_BARRIER_SECOND
#define BARRIER_SECOND(me)	skip
#else
#define BARRIER_SECOND(me)	READ_BARRIER(me)
#endif
#ifdef NO_LOCKED_READ_BARRIER
#define BARRIER_LOCKED(me)	skip
#else
#define BARRIER_LOCKED(me)	READ_BARRIER(me)
#endif
#ifdef NO_RETRACT_BARRIER
#define BARRIER_RETRACTED(me)	skip
#else
#define BARRIER_RETRACTED(me)	FULL_BARRIER(me)
#endif
#ifdef NO_LEAVE_BARRIER
#define BARRIER_LEFT(me)	skip
#else
#define BARRIER_LEFT(me)	FULL_BARRIER(me)
#endif
#ifdef NO_LEAVE_READ_BARRIER
#define BARRIER_LOOKED(me)	skip
#else
#define BARRIER_LOOKED(me)	READ_BARRIER(me)
#endif
#ifdef NO_BUILD_BARRIER
#define BARRIER_CLAIMED(me)	skip
#else
#define BARRIER_CLAIMED(me)	FULL_BARRIER(me)
#endif
#ifdef NO_BUILD_WMB
#define BARRIER_BUILT(me)	skip
#else
#define BARRIER_BUILT(me)	WRITE_BARRIER(me)
#endif
#ifdef NO_INVALIDATE_WMB
#define BARRIER_INVALIDATED(me)	skip
#else
#define BARRIER_INVALIDATED(me)	WRITE_BARRIER(me)
#endif

/* A leaver that asks whether it was the cached horizon, as with an age bound, may bump less. */
#ifdef COMPARE_HORIZON
#define WAS_THE_HORIZON(former)	(former == HOR_XMIN(horizon))
#else
#define WAS_THE_HORIZON(former)	true
#endif

/* Words loaded later in the same window, and past a barrier that is missing. */
#ifdef CACHED_HORIZON
#define HORIZON_WORD	BIT(HOR)
#else
#define HORIZON_WORD	0
#endif
#ifdef NO_READ_BARRIER_SECOND
#define AFTER_COPY	BIT(GEN)
#else
#define AFTER_COPY	0
#endif
#define AFTER_SET	(HORIZON_WORD | AFTER_COPY)
#define AFTER_XMIN	(BIT(CSET) | AFTER_SET)
#ifdef NO_READ_BARRIER_FIRST
#define AFTER_GEN(own)	((own) == 0 -> BIT(CXMIN) : BIT(CXMIN) | AFTER_XMIN)
#else
#define AFTER_GEN(own)	0
#endif
#ifdef NO_LOCKED_READ_BARRIER
#define AFTER_LOCKED_GEN	(BIT(CXMIN) | BIT(CSET) | HORIZON_WORD)
#else
#define AFTER_LOCKED_GEN	0
#endif
#ifdef NO_LEAVE_READ_BARRIER
#define AFTER_LEFT_GEN	(BIT(HOR) | BIT(CXMIN))
#else
#define AFTER_LEFT_GEN	0
#endif
#ifdef NO_BUILD_BARRIER
#define AFTER_CLAIM	(BIT(XMIN0) | BIT(XMIN1))
#else
#define AFTER_CLAIM	0
#endif

#ifdef TWO_NEW
#define TAKES_LOCK	PROCS
#else
#define TAKES_LOCK	R0
#endif
