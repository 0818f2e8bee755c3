/*
 * Processes, words of shared memory and what is packed into them.
 *
 * Three xids matter: 2 and 4 run at the start, 3 has ended, so the latest
 * completed one is 3 and xmax is 4.  Ending 2 moves xmin; ending 4 moves xmax.
 * A snapshot is xmin, xmax and whether 2 is in it (4, while it runs, is at xmax).
 */
#define PROCS	5
#define R0		0				/* readers; XMIN0 + me is a reader's own xmin */
#define R1		1
#define B		2				/* builder */
#define W		3				/* committer */
#define V		4				/* scans the horizon, as VACUUM does */

#define WORDS	8
#define GEN		0				/* counter << 2 | state */
#define CXMIN	1				/* the copy: xmin */
#define CSET	2				/* the copy: xid 2 is running << 3 | xmax */
#define HOR		3				/* the copy: epoch << 3 | oldest xmin held */
#define EPOCH	4
#define XMIN0	5				/* published xmins */
#define XMIN1	6
#define RUN		7				/* truth: latest completed xid << 2 | xids 4 and 2 running */

#define BIT(word)	(1 << (word))
#define AT(me, word)	((me) * WORDS + (word))

#define INVALID		0
#define BUILDING	1
#define VALID		2
#define STATE(gen)	((gen) & 3)
#define WITH(gen, state)	(((gen) & ~3) | (state))

#define HOR_XMIN(hor)	((hor) & 7)
#define HOR_EPOCH(hor)	((hor) >> 3)
#define HOR_WORD(epoch, xmin)	(((epoch) << 3) | (xmin))

#define XMAX_OF(run)	(((run) >> 2) + 1)
#define SET_OF(run)	((((run) & 1) << 3) | XMAX_OF(run))
#define XMIN_OF(run)	(((run) & 1) -> 2 : XMAX_OF(run))
#define SNAPSHOT(xmin, set)	(((xmin) << 4) | (set))

/* One lightweight lock: how many hold it shared, or EXCLUSIVE. */
#define EXCLUSIVE	255
byte lock;
#define RELEASE_SHARED(me)	lock--
#define RELEASE_EXCLUSIVE(me)	lock = 0
byte mem[WORDS];
