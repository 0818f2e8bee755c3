/*
 * snapscope_slots.c
 *	  Where proc entries lie, and which of them backends get.
 *
 * A PGXACT entry is 12 bytes, so five or six backends share a cache line, and
 * each takes it from the others when it publishes an xmin.  With
 * snapshot_slot_spread a backend gets a slot with a line to itself while there
 * are any: slots apart stay in ProcGlobal->freeProcs, the others wait in a list
 * that is used when it is empty.  The layout itself, which extensions know, is
 * that of stock.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "storage/snapscope.h"

#define LINE_BYTES	64

bool		snapshot_slot_spread = false;
int			snapshot_layout_pad = 0;

Size
SnapScopeLayoutPadSize(void)
{
	return (Size) snapshot_layout_pad * 1024;
}

/* Called before the proc arrays are allocated: what comes next lies further on. */
void
SnapScopeLayoutPad(void)
{
	if (snapshot_layout_pad > 0)
		(void) ShmemAlloc(SnapScopeLayoutPadSize());
}

static inline uintptr_t
FirstLine(int procno)
{
	return (uintptr_t) &ProcGlobal->allPgXact[procno] / LINE_BYTES;
}

static inline uintptr_t
LastLine(int procno)
{
	return ((uintptr_t) &ProcGlobal->allPgXact[procno + 1] - 1) / LINE_BYTES;
}

/*
 * Splits the new list of free slots for client backends.  A slot is apart when
 * its first line is past the last line of the one before; the line where the
 * slots of other processes begin is left out.
 */
void
SnapScopeSpreadSlots(void)
{
	uintptr_t	next_line = 0;

	ProcGlobal->freeProcsBeside = NULL;
	if (!snapshot_slot_spread)
		return;

	/* As InitProcGlobal() has it: the highest number is handed out first. */
	ProcGlobal->freeProcs = NULL;
	for (int procno = 0; procno < MaxConnections; procno++)
	{
		PGPROC	   *proc = &ProcGlobal->allProcs[procno];

		if (FirstLine(procno) >= next_line && LastLine(procno) < FirstLine(MaxConnections))
		{
			proc->procgloballist = &ProcGlobal->freeProcs;
			next_line = LastLine(procno) + 1;
		}
		else
			proc->procgloballist = &ProcGlobal->freeProcsBeside;
		proc->links.next = (SHM_QUEUE *) *proc->procgloballist;
		*proc->procgloballist = proc;
	}
}

/* The list to take a slot from; the caller holds ProcStructLock. */
PGPROC	   *volatile *
SnapScopeFreeProcs(PGPROC *volatile *list)
{
	if (list == &ProcGlobal->freeProcs && *list == NULL && ProcGlobal->freeProcsBeside != NULL)
		return &ProcGlobal->freeProcsBeside;
	return list;
}

/* How many slots that are not apart are free, at most LIMIT; the caller holds ProcStructLock. */
int
SnapScopeFreeBeside(int limit)
{
	int			n = 0;

	for (PGPROC *proc = ProcGlobal->freeProcsBeside; proc != NULL && n < limit; proc = (PGPROC *) proc->links.next)
		n++;
	return n;
}
