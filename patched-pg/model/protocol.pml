/*
 * The lock-free read of the shared snapshot, and what must hold of it.
 *
 * One text for both memory models.  Names in capitals after `-D` take one thing
 * out of the protocol; README.md lists them.  TWO_NEW makes the second reader
 * one that has no xmin yet; otherwise it holds an older one from the start.
 */
#include "variants.pml"

/* ---- what is known from outside: no process reads this ---- */

byte version;					/* how many transactions have ended, by release of the lock */
byte truth[3];					/* the snapshot of each version */
byte handed_out;				/* newest horizon that anybody was given */
byte held[2];					/* own xmin of each reader with an accepted snapshot */
byte gone;						/* readers that have finished */

/* Names that a failed assertion prints. */
hidden byte P1_snapshot_of_an_instant_within_the_call;
hidden byte P1_snapshot_of_the_instant_of_the_recheck;
hidden byte P1_own_xmin_matches_the_snapshot;
hidden byte P2_nothing_newer_was_handed_out_before;
hidden byte P2_nothing_newer_is_handed_out_while_held;
hidden byte P3_the_horizon_is_not_stuck_when_all_is_quiet;

#define IS_TRUTH_SINCE(v, snapshot) \
	((v <= 0 && truth[0] == (snapshot)) || \
	(v <= 1 && version >= 1 && truth[1] == (snapshot)) || \
	(version >= 2 && truth[2] == (snapshot)))

inline hand_out(limit)
{
	P2_nothing_newer_is_handed_out_while_held =
		(held[R0] == 0 || (limit) <= held[R0]) && (held[R1] == 0 || (limit) <= held[R1]);
	assert(P2_nothing_newer_is_handed_out_while_held);
	handed_out = (handed_out > (limit) -> handed_out : (limit))
}

inline accept(me)
{
	P1_snapshot_of_an_instant_within_the_call = IS_TRUTH_SINCE(since, SNAPSHOT(xmin, set));
	assert(P1_snapshot_of_an_instant_within_the_call);
	P1_snapshot_of_the_instant_of_the_recheck = (truth[version] == SNAPSHOT(xmin, set));
#ifndef WITHIN_CALL_ONLY
	assert(P1_snapshot_of_the_instant_of_the_recheck);
#endif
	P1_own_xmin_matches_the_snapshot = (published -> own == xmin : own <= xmin);
	assert(P1_own_xmin_matches_the_snapshot);
	P2_nothing_newer_was_handed_out_before = (handed_out <= own);
	assert(P2_nothing_newer_was_handed_out_before);
	held[me] = own;
#ifdef CACHED_HORIZON
	t = (HOR_XMIN(horizon) < own -> HOR_XMIN(horizon) : own);
	hand_out(t);
	t = 0
#endif
}

/* ---- horizon ---- */

/* RESULT goes down to OTHER, if that is an xmin. */
inline lower(result, other)
{
	result = (other != 0 && other < result -> other : result);
	other = 0
}

/* The process no longer holds FORMER and its barrier stands behind that. */
inline xmin_left(me, former)
{
	STEP(me, AFTER_LEFT_GEN, LOAD(me, GEN, g, AFTER_LEFT_GEN); BARRIER_LOOKED(me));
	if
	:: STATE(g) == BUILDING ->
		BUMP_EPOCH(me)
	:: STATE(g) == VALID ->
#ifdef COMPARE_HORIZON
		STEP(me, BIT(CXMIN), LOAD(me, HOR, horizon, BIT(CXMIN)));
#endif
		STEP(me, 0, LOAD(me, CXMIN, t, 0));
		if
		:: former < t && WAS_THE_HORIZON(former) -> BUMP_EPOCH(me)
		:: else
		fi
	:: else
	fi;
	d_step { g = 0; t = 0; horizon = 0 }
}

#include "lockfree.pml"
#include "locked.pml"

/* ---- processes that take snapshots ---- */

/*
 * After ATTEMPTS without the lock one reader takes it, others go without a
 * snapshot.  R0 keeps what it has, R1 may leave.
 */
proctype Reader(byte me; byte own)
{
	byte g, t, xmin, set, horizon, epoch, tries, before, since;
	bool published, accepted, claimed;
#ifdef REFRESH
	byte oldest;
#endif

	read_lock_free(me);
	if
	:: !accepted && me == TAKES_LOCK -> read_locked(me)
	:: else
	fi;
	d_step { g = 0; t = 0; xmin = 0; set = 0; horizon = 0; since = 0; published = false; accepted = false };

	/* The transaction ends, or stays. */
	if
	:: me == R1 && own != 0 ->
		atomic {
			before = own;
			held[me] = 0;
			STORE(me, XMIN0 + me, 0);
			BARRIER_LEFT(me)
		};
#ifdef CACHED_HORIZON
		xmin_left(me, before)
#endif
	:: true
	fi;
	atomic { own = 0; before = 0; gone++ }
}

/* A reader without interest in the result, each time that a copy is missing. */
proctype Builder(byte me)
{
	byte g, t, xmin, set, horizon, epoch;
	bool claimed;
end:
	do
	:: STATE(mem[GEN]) == INVALID ->
		atomic {
			TAKE_SHARED(me);
			LOAD(me, GEN, g, 0);
			if
			:: STATE(g) == INVALID -> CLAIM(me, g, claimed)
			:: else
			fi
		};
		if
		:: claimed -> build(me)
		:: else
		fi;
		atomic {
			MAY_RELEASE(me);
			RELEASE_SHARED(me);
			claimed = false; g = 0; xmin = 0; set = 0; horizon = 0
		}
	od
}

/* ---- committer and horizon ---- */

/* Ends the transaction whose bit in RUN is given. */
inline end_transaction(me, which)
{
	atomic {
		TAKE_EXCLUSIVE(me);
#ifndef NO_INVALIDATE
		LOAD(me, GEN, g, 0);
		if
		:: STATE(g) == VALID -> STORE(me, GEN, WITH(g, INVALID) + 4)
		:: else
		fi;
		g = 0;
		BARRIER_INVALIDATED(me);
#endif
		STORE(me, RUN, (which == 2 -> (4 << 2) | (mem[RUN] & 1) : mem[RUN] & ~1));
		MAY_RELEASE(me);
		RELEASE_EXCLUSIVE(me);
		version++;
		truth[version] = SNAPSHOT(XMIN_OF(mem[RUN]), SET_OF(mem[RUN]))
	}
}

proctype Committer(byte me)
{
	byte g, first;

	if
	:: first = 1
	:: first = 2
	fi;
	end_transaction(me, first);
	end_transaction(me, 3 - first);
	first = 0
}

/* Any number of scans is as good as one at any time. */
proctype Vacuum(byte me)
{
	byte t, oldest;

	atomic {
		TAKE_SHARED(me);
		LOAD(me, RUN, t, 0);
		oldest = XMIN_OF(t);
		t = 0
	};
	STEP(me, BIT(XMIN1), LOAD(me, XMIN0, t, BIT(XMIN1)); lower(oldest, t));
	atomic {
		LOAD(me, XMIN1, t, 0);
		lower(oldest, t);
		hand_out(oldest);
		oldest = 0;
		RELEASE_SHARED(me)
	}
}

/* The readers are gone, and nothing is under way. */
proctype Quiet()
{
	byte oldest;
	d_step {
		gone == 2 && lock == 0 && DRAINED(R0) && DRAINED(R1) && DRAINED(B) && DRAINED(W) ->
		oldest = mem[CXMIN];
		oldest = (mem[XMIN0] != 0 && mem[XMIN0] < oldest -> mem[XMIN0] : oldest);
		oldest = (mem[XMIN1] != 0 && mem[XMIN1] < oldest -> mem[XMIN1] : oldest);
		P3_the_horizon_is_not_stuck_when_all_is_quiet =
			(STATE(mem[GEN]) != VALID || HOR_EPOCH(mem[HOR]) != mem[EPOCH] || HOR_XMIN(mem[HOR]) == oldest);
#ifndef NO_P3
		assert(P3_the_horizon_is_not_stuck_when_all_is_quiet)
#endif
	}
}

init {
	atomic {
		mem[RUN] = (3 << 2) | 3;
		truth[0] = SNAPSHOT(XMIN_OF(mem[RUN]), SET_OF(mem[RUN]));
		mem[GEN] = VALID;
		mem[CXMIN] = XMIN_OF(mem[RUN]);
		mem[CSET] = SET_OF(mem[RUN]);
#ifdef TWO_NEW
		mem[HOR] = HOR_WORD(0, 2);
#else
		mem[HOR] = HOR_WORD(0, 1);
		mem[XMIN1] = 1;
		held[R1] = 1;
#endif
#ifdef REFRESH
		/* Who held an older one has left. */
		mem[HOR] = HOR_WORD(0, 0);
		mem[EPOCH] = 1;
#endif
		run Reader(R0, 0);
		run Reader(R1, mem[XMIN1]);
		run Builder(B);
		run Committer(W);
#ifdef CACHED_HORIZON
		run Quiet()
#else
		run Vacuum(V)
#endif
	}
}
