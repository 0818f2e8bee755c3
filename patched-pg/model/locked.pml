/* Under the lock: who builds, who refreshes the horizon, and who reads as in mode `copy`. */

/* ---- builder: the lock is held shared, the state says "building" ---- */

inline build(me)
{
#if defined(CACHED_HORIZON) && !defined(LATE_EPOCH)
	STEP(me, AFTER_CLAIM, LOAD(me, EPOCH, epoch, AFTER_CLAIM));
#endif
	atomic {
		BARRIER_CLAIMED(me);
		LOAD(me, RUN, t, 0);
		xmin = XMIN_OF(t);
		set = SET_OF(t);
		t = 0
	};
#ifdef CACHED_HORIZON
	horizon = xmin;
	STEP(me, BIT(XMIN1), LOAD(me, XMIN0, t, BIT(XMIN1)); lower(horizon, t));
#ifdef LATE_EPOCH
	STEP(me, 0, LOAD(me, XMIN1, t, 0); lower(horizon, t));
	atomic {
		LOAD(me, EPOCH, epoch, 0);
#else
	atomic {
		LOAD(me, XMIN1, t, 0);
		lower(horizon, t);
#endif
		horizon = HOR_WORD(epoch, horizon);
		epoch = 0;
		STORE(me, HOR, horizon);
#else
	atomic {
#endif
		STORE(me, CXMIN, xmin);
		STORE(me, CSET, set);
		BARRIER_BUILT(me);
		STORE(me, GEN, WITH(g, VALID))
	}
}

/* ---- reader ---- */

#ifdef REFRESH
inline refresh(me)
{
	STEP(me, 0, LOAD(me, EPOCH, epoch, 0));
	if
	:: !FRESH ->
		FULL_BARRIER(me);
		oldest = xmin;
		STEP(me, BIT(XMIN1), LOAD(me, XMIN0, t, BIT(XMIN1)); lower(oldest, t));
		STEP(me, 0, LOAD(me, XMIN1, t, 0); lower(oldest, t));
		atomic {
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
	STEP(me, AFTER_LOCKED_GEN,
		LOAD(me, GEN, g, AFTER_LOCKED_GEN);
		BARRIER_LOCKED(me));
	if
	:: STATE(g) == INVALID -> CLAIM(me, g, claimed)
	:: else
	fi;
	if
	:: claimed -> build(me)
	:: !claimed && STATE(g) == VALID ->
		atomic {
			LOAD(me, CXMIN, xmin, 0);
			LOAD(me, CSET, set, 0);
			LOAD(me, HOR, horizon, 0)
		};
#ifdef REFRESH
		refresh(me)
#endif
	:: else ->
		/* Lost the race: the stock scan, here under the same hold. */
		atomic {
			LOAD(me, RUN, t, 0);
			xmin = XMIN_OF(t);
			set = SET_OF(t);
			t = 0
		}
	fi;
	atomic {
		if
		:: own == 0 -> publish(me)
		:: else
		fi;
		MAY_RELEASE(me);
		accept(me);
		RELEASE_SHARED(me);
		claimed = false
	}
}
