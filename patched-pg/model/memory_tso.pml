/*
 * x86-64: each process's stores leave in order through a buffer that its own
 * loads look into first.  Atomic read-modify-writes, taking and releasing a
 * lock among them, and full barriers wait until the own buffer is empty.
 * Loads are in order.  DEPTH is the most stores that any process here has
 * between two such points, so the buffer is never full.
 */
#define ATTEMPTS	2			/* without the lock */

#define DEPTH	5
byte count[PROCS];
byte word[PROCS * DEPTH];
byte value[PROCS * DEPTH];

#define DRAINED(me)	(count[me] == 0)
#define SLOT(me, i)	((me) * DEPTH + (i))
#define OWN(me, i, w)	(count[me] > (i) && word[SLOT(me, i)] == (w))
#define SEEN(me, w) \
	(OWN(me, 4, w) -> value[SLOT(me, 4)] : \
	(OWN(me, 3, w) -> value[SLOT(me, 3)] : \
	(OWN(me, 2, w) -> value[SLOT(me, 2)] : \
	(OWN(me, 1, w) -> value[SLOT(me, 1)] : \
	(OWN(me, 0, w) -> value[SLOT(me, 0)] : mem[w])))))

#define STEP(me, later, ...)	atomic { __VA_ARGS__ }
#define LOAD(me, w, variable, later)	variable = SEEN(me, w)
#define STORE(me, w, what) \
	d_step { \
		assert(count[me] < DEPTH); \
		word[SLOT(me, count[me])] = w; \
		value[SLOT(me, count[me])] = what; \
		count[me]++ \
	}

#define FULL_BARRIER(me)	DRAINED(me)
#define READ_BARRIER(me)	skip
#define WRITE_BARRIER(me)	skip

#define TAKE_SHARED(me)		atomic { lock < EXCLUSIVE && DRAINED(me) -> lock++ }
#define TAKE_EXCLUSIVE(me)	atomic { lock == 0 && DRAINED(me) -> lock = EXCLUSIVE }
#define MAY_RELEASE(me)		DRAINED(me)

#define CLAIM(me, from, done) \
	d_step { \
		DRAINED(me) -> \
		done = (mem[GEN] == from); \
		mem[GEN] = (done -> WITH(from, BUILDING) : mem[GEN]) \
	}
#define BUMP_EPOCH(me)	d_step { DRAINED(me) -> mem[EPOCH]++ }

#define LEAVE_BUFFER(me) \
	d_step { \
		count[me] > 0 -> \
		mem[word[SLOT(me, 0)]] = value[SLOT(me, 0)]; \
		word[SLOT(me, 0)] = word[SLOT(me, 1)]; value[SLOT(me, 0)] = value[SLOT(me, 1)]; \
		word[SLOT(me, 1)] = word[SLOT(me, 2)]; value[SLOT(me, 1)] = value[SLOT(me, 2)]; \
		word[SLOT(me, 2)] = word[SLOT(me, 3)]; value[SLOT(me, 2)] = value[SLOT(me, 3)]; \
		word[SLOT(me, 3)] = word[SLOT(me, 4)]; value[SLOT(me, 3)] = value[SLOT(me, 4)]; \
		word[SLOT(me, 4)] = 0; value[SLOT(me, 4)] = 0; \
		count[me]-- \
	}

active proctype Memory()
{
end:
	do
	:: LEAVE_BUFFER(R0)
	:: LEAVE_BUFFER(R1)
	:: LEAVE_BUFFER(B)
	:: LEAVE_BUFFER(W)
	od
}
