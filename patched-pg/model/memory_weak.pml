/*
 * Weak order with one memory for all (multi-copy atomic, as aarch64): stores
 * to different words leave in any order, loads of different words are
 * satisfied in any order, and barriers forbid just what they are for.
 *
 *	- A store waits in pending[] for any time; the last one to a word replaces
 *	  an earlier one.  Write barrier, full barrier, release of the lock: the
 *	  process goes on when all of its stores have left.
 *	- A load may have been satisfied at any time since the last barrier that
 *	  orders loads.  LATER lists the words that are loaded later in the same
 *	  window; before each load any of them may be read ahead into early[].
 *	  Read barrier, full barrier, taking the lock: early[] is forgotten.
 *	- Taking the lock does not wait for earlier stores, and a claim's own store
 *	  may leave after later loads: both as without LSE atomics, or weaker.
 *
 * Not here: stores that pass earlier loads.
 */
#define ATTEMPTS	1			/* without the lock */

short pending[PROCS];
byte pending_value[PROCS * WORDS];
short early[PROCS];
byte early_value[PROCS * WORDS];

#define DRAINED(me)	(pending[me] == 0)
#define IS_PENDING(me, w)	(pending[me] & BIT(w))
#define IS_EARLY(me, w)	(early[me] & BIT(w))
#define SEEN(me, w) \
	(IS_PENDING(me, w) -> pending_value[AT(me, w)] : \
	(IS_EARLY(me, w) -> early_value[AT(me, w)] : mem[w]))

#define READ_AHEAD(me, w, later) \
	atomic { \
		((later) & BIT(w)) && !IS_PENDING(me, w) && \
		(!IS_EARLY(me, w) || early_value[AT(me, w)] != mem[w]) -> \
		early_value[AT(me, w)] = mem[w]; \
		early[me] = early[me] | BIT(w) \
	}

#define STEP(me, later, ...) \
	do \
	:: READ_AHEAD(me, GEN, later) \
	:: READ_AHEAD(me, CXMIN, later) \
	:: READ_AHEAD(me, CSET, later) \
	:: READ_AHEAD(me, HOR, later) \
	:: READ_AHEAD(me, EPOCH, later) \
	:: READ_AHEAD(me, XMIN0, later) \
	:: READ_AHEAD(me, XMIN1, later) \
	:: atomic { __VA_ARGS__ }; break \
	od

/* A word that is loaded again in this window must not get older. */
#define LOAD(me, w, variable, later) \
	d_step { \
		variable = SEEN(me, w); \
		early_value[AT(me, w)] = (((later) & BIT(w)) && !IS_PENDING(me, w) -> variable : 0); \
		early[me] = (((later) & BIT(w)) && !IS_PENDING(me, w) -> early[me] | BIT(w) : early[me] & ~BIT(w)) \
	}

#define STORE(me, w, what) \
	d_step { \
		pending_value[AT(me, w)] = what; \
		pending[me] = pending[me] | BIT(w); \
		early_value[AT(me, w)] = 0; \
		early[me] = early[me] & ~BIT(w) \
	}

#define FORGET_EARLY(me) \
	early[me] = 0; \
	early_value[AT(me, GEN)] = 0; \
	early_value[AT(me, CXMIN)] = 0; \
	early_value[AT(me, CSET)] = 0; \
	early_value[AT(me, HOR)] = 0; \
	early_value[AT(me, EPOCH)] = 0; \
	early_value[AT(me, XMIN0)] = 0; \
	early_value[AT(me, XMIN1)] = 0

#define FULL_BARRIER(me)	atomic { DRAINED(me) -> FORGET_EARLY(me) }
#define READ_BARRIER(me)	atomic { FORGET_EARLY(me) }
#define WRITE_BARRIER(me)	DRAINED(me)

#define TAKE_SHARED(me)		atomic { lock < EXCLUSIVE -> lock++; FORGET_EARLY(me) }
#define TAKE_EXCLUSIVE(me)	atomic { lock == 0 -> lock = EXCLUSIVE; FORGET_EARLY(me) }
#define MAY_RELEASE(me)		DRAINED(me)

/* Fails also where another's claim is on its way: there is only one winner. */
#define CLAIM(me, from, done) \
	d_step { \
		DRAINED(me) -> \
		done = (mem[GEN] == from && !((pending[R0] | pending[R1] | pending[B]) & BIT(GEN))); \
		pending[me] = (done -> BIT(GEN) : 0); \
		pending_value[AT(me, GEN)] = (done -> WITH(from, BUILDING) : 0); \
		FORGET_EARLY(me) \
	}
#define BUMP_EPOCH(me)	mem[EPOCH]++

#define LEAVE(me, w) \
	d_step { \
		IS_PENDING(me, w) -> \
		mem[w] = pending_value[AT(me, w)]; \
		pending_value[AT(me, w)] = 0; \
		pending[me] = pending[me] & ~BIT(w) \
	}

active proctype Memory()
{
end:
	do
	:: LEAVE(R0, GEN)
	:: LEAVE(R0, CXMIN)
	:: LEAVE(R0, CSET)
#ifdef CACHED_HORIZON
	:: LEAVE(R0, HOR)
#endif
	:: LEAVE(R0, XMIN0)
	:: LEAVE(R1, XMIN1)
	:: LEAVE(B, GEN)
	:: LEAVE(B, CXMIN)
	:: LEAVE(B, CSET)
#ifdef CACHED_HORIZON
	:: LEAVE(B, HOR)
#endif
	:: LEAVE(W, GEN)
	:: LEAVE(W, RUN)
	od
}
