/* A reader without the lock. */

inline publish(me)
{
	own = xmin;
	published = true;
	STORE(me, XMIN0 + me, own)
}

#ifdef REFRESH
#define FRESH	(HOR_EPOCH(horizon) == epoch)
#else
#define FRESH	true
#endif

/*
 * Leaves ACCEPTED true, or the own xmin as it was.  Who publishes goes on with
 * the xmin that it published; to load it again would be no worse.
 */
inline read_lock_free(me)
{
	do
	:: accepted || tries == ATTEMPTS -> break
	:: else ->
		STEP(me, AFTER_GEN(own),
			LOAD(me, GEN, g, AFTER_GEN(own));
			since = (tries == 0 -> version : since);
			tries++;
			BARRIER_FIRST(me));
		if
		:: STATE(g) != VALID -> break
		:: else
		fi;
#ifndef LATE_PUBLISH
		if
		:: own == 0 ->
			STEP(me, 0,
				LOAD(me, CXMIN, xmin, 0);
				publish(me);
				BARRIER_PUBLISHED(me))
		:: else ->
#endif
			STEP(me, AFTER_XMIN, LOAD(me, CXMIN, xmin, AFTER_XMIN))
#ifndef LATE_PUBLISH
		fi;
#else
		;
#endif
#ifdef REFRESH
		STEP(me, AFTER_XMIN, LOAD(me, EPOCH, epoch, AFTER_XMIN));
#endif
#ifdef CACHED_HORIZON
		STEP(me, AFTER_SET, LOAD(me, CSET, set, AFTER_SET));
		STEP(me, AFTER_COPY, LOAD(me, HOR, horizon, AFTER_COPY); BARRIER_SECOND(me));
#else
		STEP(me, AFTER_COPY, LOAD(me, CSET, set, AFTER_COPY); BARRIER_SECOND(me));
#endif
		atomic {
			LOAD(me, GEN, t, 0);
#ifdef NO_RECHECK
			t = g;
#endif
			if
			:: t == g && FRESH ->
#ifdef LATE_PUBLISH
				if
				:: own == 0 -> publish(me)
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
					STORE(me, XMIN0 + me, 0);
					BARRIER_RETRACTED(me)
				:: else
				fi
			fi;
			g = 0; t = 0; xmin = 0; set = 0; horizon = 0; epoch = 0
		};
#if defined(CACHED_HORIZON) && !defined(NO_RETRACT_BUMP)
		if
		:: before != 0 -> xmin_left(me, before)
		:: else
		fi;
#endif
		before = 0
	od;
	tries = 0
}
