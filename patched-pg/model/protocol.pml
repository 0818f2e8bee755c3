/*
 * The lock-free read of the shared snapshot, and what must hold of it.
 *
 * One text for both memory models.  Names in capitals after `-D` take one thing
 * out of the protocol; README.md lists them.  TWO_NEW makes the second reader
 * one that has no xmin yet; otherwise it holds an older one from the start.
 */
#define ATTEMPTS	2			/* lock-free, before the lock is taken */

/* ---- what a variant leaves out ---- */

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

/* Words loaded between two barriers, and what follows where one is missing. */
#define RECHECK_WINDOW	BIT(GEN)
#ifdef NO_READ_BARRIER_SECOND
#define COPY_TAIL	RECHECK_WINDOW
#else
#define COPY_TAIL	0
#endif
#define COPY_WINDOW	(BIT(CXMIN) | BIT(CSET) | BIT(HOR) | BIT(EPOCH) | COPY_TAIL)
#ifdef NO_READ_BARRIER_FIRST
#define FIRST_TAIL(own)	((own) == 0 -> BIT(CXMIN) : COPY_WINDOW)
#else
#define FIRST_TAIL(own)	0
#endif
#define LOCKED_WINDOW	(BIT(CXMIN) | BIT(CSET) | BIT(HOR))
#ifdef NO_LOCKED_READ_BARRIER
#define LOCKED_TAIL	LOCKED_WINDOW
#else
#define LOCKED_TAIL	0
#endif
#ifdef NO_LEAVE_READ_BARRIER
#define LEFT_TAIL	(BIT(HOR) | BIT(CXMIN))
#else
#define LEFT_TAIL	0
#endif
#define SCAN_WINDOW	(BIT(XMIN0) | BIT(XMIN1))
#ifdef NO_BUILD_BARRIER
#define CLAIM_TAIL	SCAN_WINDOW
#else
#define CLAIM_TAIL	0
#endif

/* ---- what is known from outside: no process reads this ---- */

byte version;					/* how many transactions have ended, by release of the lock */
byte truth[3];					/* the snapshot of each version */
byte handed_out;				/* newest horizon that anybody was given */
byte held[2];					/* own xmin of each reader with an accepted snapshot */
byte gone;						/* processes that have finished */

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
	assert(P1_snapshot_of_the_instant_of_the_recheck);
	P1_own_xmin_matches_the_snapshot = (published -> own == xmin : own <= xmin);
	assert(P1_own_xmin_matches_the_snapshot);
	P2_nothing_newer_was_handed_out_before = (handed_out <= own);
	assert(P2_nothing_newer_was_handed_out_before);
	held[me] = own;
	t = (HOR_XMIN(horizon) < own -> HOR_XMIN(horizon) : own);
	hand_out(t);
	t = 0
}

/* ---- horizon ---- */

/* RESULT goes down to the oldest published xmin. */
inline scan_xmins(me, result)
{
	STEP(me, BIT(XMIN1),
		LOAD(me, XMIN0, t, BIT(XMIN1));
		result = (t != 0 && t < result -> t : result));
	STEP(me, 0,
		LOAD(me, XMIN1, t, 0);
		result = (t != 0 && t < result -> t : result);
		t = 0)
}

/* The process no longer holds FORMER and its barrier stands behind that. */
inline xmin_left(me, former)
{
	STEP(me, LEFT_TAIL, LOAD(me, GEN, g, LEFT_TAIL));
	if
	:: STATE(g) == BUILDING ->
		BUMP_EPOCH(me)
	:: STATE(g) == VALID ->
		BARRIER_LOOKED(me);
		STEP(me, BIT(CXMIN), LOAD(me, HOR, horizon, BIT(CXMIN)));
		STEP(me, 0, LOAD(me, CXMIN, t, 0));
		if
		:: former == HOR_XMIN(horizon) && former < t -> BUMP_EPOCH(me)
		:: else
		fi
	:: else
	fi;
	d_step { g = 0; t = 0; horizon = 0 }
}

/* ---- builder: the lock is held shared, the state says "building" ---- */

inline build(me)
{
#ifndef LATE_EPOCH
	STEP(me, CLAIM_TAIL, LOAD(me, EPOCH, epoch, CLAIM_TAIL));
#endif
	BARRIER_CLAIMED(me);
	STEP(me, SCAN_WINDOW,
		LOAD(me, RUN, t, SCAN_WINDOW);
		LOAD(me, LATEST, set, SCAN_WINDOW);
		xmin = XMIN_OF(t, set);
		set = SET_OF(t, set);
		horizon = xmin;
		t = 0);
	scan_xmins(me, horizon);
#ifdef LATE_EPOCH
	STEP(me, 0, LOAD(me, EPOCH, epoch, 0));
#endif
	atomic {
		horizon = HOR_WORD(epoch, horizon);
		epoch = 0;
		STORE(me, CXMIN, xmin);
		STORE(me, CSET, set);
		STORE(me, HOR, horizon);
		BARRIER_BUILT(me);
		STORE(me, GEN, WITH(g, VALID))
	}
}

/* ---- a reader without the lock ---- */

inline publish(me, what)
{
	own = what;
	published = true;
	STORE(me, XMIN0 + me, own)
}

#ifdef REFRESH
#define FRESH	(HOR_EPOCH(horizon) == epoch)
#else
#define FRESH	true
#endif

/* Leaves ACCEPTED true, or the own xmin as it was. */
inline read_lock_free(me)
{
	do
	:: accepted || tries == ATTEMPTS -> break
	:: else ->
		STEP(me, FIRST_TAIL(own),
			LOAD(me, GEN, g, FIRST_TAIL(own));
			since = (tries == 0 -> version : since);
			tries++);
		if
		:: STATE(g) != VALID -> break
		:: else
		fi;
		BARRIER_FIRST(me);
#ifndef LATE_PUBLISH
		if
		:: own == 0 ->
			STEP(me, 0,
				LOAD(me, CXMIN, t, 0);
				publish(me, t);
				BARRIER_PUBLISHED(me))
		:: else
		fi;
#endif
		STEP(me, COPY_WINDOW, LOAD(me, CXMIN, xmin, COPY_WINDOW));
		STEP(me, COPY_WINDOW, LOAD(me, CSET, set, COPY_WINDOW));
#ifdef REFRESH
		STEP(me, COPY_WINDOW, LOAD(me, EPOCH, epoch, COPY_WINDOW));
#endif
		STEP(me, COPY_TAIL, LOAD(me, HOR, horizon, COPY_TAIL));
		BARRIER_SECOND(me);
		atomic {
			LOAD(me, GEN, t, 0);
#ifdef NO_RECHECK
			t = g;
#endif
			if
			:: t == g && FRESH ->
#ifdef LATE_PUBLISH
				if
				:: own == 0 -> publish(me, xmin)
				:: else
				fi;
#endif
				accept(me);
				accepted = true
			:: else ->
				if
				:: published ->
					before = own;
					own = 0;
					published = false;
					STORE(me, XMIN0 + me, 0)
				:: else
				fi
			fi;
			g = 0; t = 0; xmin = 0; set = 0; horizon = 0; epoch = 0
		};
		if
		:: before != 0 ->
			BARRIER_RETRACTED(me);
#if defined(STUCK) && !defined(NO_RETRACT_BUMP)
			xmin_left(me, before);
#endif
			before = 0
		:: else
		fi
	od;
	tries = 0
}

/* ---- and with it, as in mode `copy` ---- */

#ifdef REFRESH
inline refresh(me)
{
	STEP(me, 0, LOAD(me, EPOCH, epoch, 0));
	if
	:: !FRESH ->
		FULL_BARRIER(me);
		oldest = xmin;
		scan_xmins(me, oldest);
		d_step {
			oldest = HOR_WORD(epoch, oldest);
			mem[HOR] = (mem[HOR] == horizon -> oldest : mem[HOR]);
			horizon = oldest;
			oldest = 0
		}
	:: else
	fi;
	epoch = 0
}
#endif

inline read_locked(me)
{
	TAKE_SHARED(me);
	STEP(me, LOCKED_TAIL, LOAD(me, GEN, g, LOCKED_TAIL));
	if
	:: STATE(g) == INVALID -> CLAIM(me, g, claimed)
	:: else
	fi;
	if
	:: claimed -> build(me)
	:: !claimed && STATE(g) == VALID ->
		BARRIER_LOCKED(me);
		STEP(me, LOCKED_WINDOW, LOAD(me, CXMIN, xmin, LOCKED_WINDOW));
		STEP(me, LOCKED_WINDOW, LOAD(me, CSET, set, LOCKED_WINDOW));
		STEP(me, 0, LOAD(me, HOR, horizon, 0));
#ifdef REFRESH
		refresh(me)
#endif
	:: else ->
		/* Lost the race: the stock scan, here under the same hold. */
		atomic {
			LOAD(me, RUN, t, 0);
			LOAD(me, LATEST, set, 0);
			xmin = XMIN_OF(t, set);
			set = SET_OF(t, set)
		}
	fi;
	atomic {
		if
		:: own == 0 -> publish(me, xmin)
		:: else
		fi;
		MAY_RELEASE(me);
		accept(me);
		RELEASE_SHARED(me);
		claimed = false
	}
}

proctype Reader(byte me; byte own)
{
	byte g, t, xmin, set, horizon, epoch, tries, before, since;
	bool published, accepted, claimed;
#ifdef REFRESH
	byte oldest;
#endif

	read_lock_free(me);
	if
	:: accepted
	:: else -> read_locked(me)
	fi;
	d_step { g = 0; t = 0; xmin = 0; set = 0; horizon = 0; since = 0; published = false; accepted = false };

	/* The transaction ends, or stays. */
	if
	:: true ->
		atomic {
			before = own;
			held[me] = 0;
			STORE(me, XMIN0 + me, 0)
		};
#ifdef STUCK
		BARRIER_LEFT(me);
		xmin_left(me, before)
#endif
	:: true
	fi;
	d_step { own = 0; before = 0; gone++ }
}

/* A reader without interest in the result, each time that a copy is missing. */
proctype Builder(byte me)
{
	byte g, t, xmin, set, horizon, epoch;
	bool claimed;
end:
	do
	:: STATE(mem[GEN]) == INVALID ->
		TAKE_SHARED(me);
		atomic {
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
		STORE(me, RUN, mem[RUN] & ~(which));
		if
		:: which == 2 -> STORE(me, LATEST, 4)
		:: else
		fi;
		MAY_RELEASE(me);
		RELEASE_EXCLUSIVE(me);
		version++;
		truth[version] = SNAPSHOT(XMIN_OF(mem[RUN], mem[LATEST]), SET_OF(mem[RUN], mem[LATEST]))
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
	d_step { first = 0; gone++ }
}

/* Any number of scans is as good as one at any time. */
proctype Vacuum(byte me)
{
	byte t, oldest, latest;

	TAKE_SHARED(me);
	STEP(me, SCAN_WINDOW,
		LOAD(me, RUN, t, SCAN_WINDOW);
		LOAD(me, LATEST, latest, SCAN_WINDOW);
		oldest = XMIN_OF(t, latest);
		t = 0; latest = 0);
	scan_xmins(me, oldest);
	atomic { hand_out(oldest); oldest = 0; RELEASE_SHARED(me) }
}

/* Readers and committer are gone, and nothing is under way. */
proctype Quiet()
{
	byte oldest;
	d_step {
		gone == 3 && lock == 0 && DRAINED(R0) && DRAINED(R1) && DRAINED(B) && DRAINED(W) ->
		oldest = mem[CXMIN];
		oldest = (mem[XMIN0] != 0 && mem[XMIN0] < oldest -> mem[XMIN0] : oldest);
		oldest = (mem[XMIN1] != 0 && mem[XMIN1] < oldest -> mem[XMIN1] : oldest);
		P3_the_horizon_is_not_stuck_when_all_is_quiet =
			(STATE(mem[GEN]) != VALID || HOR_EPOCH(mem[HOR]) != mem[EPOCH] || HOR_XMIN(mem[HOR]) == oldest);
		assert(P3_the_horizon_is_not_stuck_when_all_is_quiet)
	}
}

init {
	atomic {
		mem[RUN] = 3;
		mem[LATEST] = 3;
		truth[0] = SNAPSHOT(2, SET_OF(3, 3));
		mem[GEN] = VALID;
		mem[CXMIN] = 2;
		mem[CSET] = SET_OF(3, 3);
#ifdef TWO_NEW
		mem[HOR] = HOR_WORD(0, 2);
#else
		mem[HOR] = HOR_WORD(0, 1);
		mem[XMIN1] = 1;
		held[R1] = 1;
#endif
		run Reader(R0, 0);
		run Reader(R1, mem[XMIN1]);
		run Builder(B);
		run Committer(W);
#ifdef STUCK
		run Quiet()
#else
		run Vacuum(V)
#endif
	}
}
