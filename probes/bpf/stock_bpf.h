/*
 * stock_bpf.h - what stock.bpf.c and the collector exchange through maps.
 * Plain C types: a skeleton copies the type names into the collector.
 */
#ifndef SNAPSCOPE_STOCK_BPF_H
#define SNAPSCOPE_STOCK_BPF_H

#include "snapshot_bpf.h"

/* What traps: the index of a hit counter, and the attach cookie of on_estimate. */
enum snapscope_stock_probe {
    SNAPSCOPE_STOCK_SNAPSHOT = 0, /* entry of GetSnapshotData */
    SNAPSCOPE_STOCK_RETURN = 1,   /* its return */
    SNAPSCOPE_STOCK_XACT_END = 2, /* entry of ProcArrayEndTransaction */
    SNAPSCOPE_STOCK_NEW_XID = 3,  /* entry of GetNewTransactionId */
    SNAPSCOPE_STOCK_WAIT = 4,     /* USDT lwlock__wait__start and __done, of any lock */
    SNAPSCOPE_STOCK_PROBES = 5
};

/* The durations that a row holds. */
#define SNAPSCOPE_STOCK_SCANNED 0U /* rebuilt, private scan, or outcome unknown */
#define SNAPSCOPE_STOCK_REUSED 1U
#define SNAPSCOPE_STOCK_HISTOGRAMS 2U

#define SNAPSCOPE_STOCK_EXCLUSIVE 0U /* LWLockMode */
#define SNAPSCOPE_STOCK_SHARED 1U

/*
 * One row a slot.  A slot has one owner at a time, and an owner never runs its
 * own probe twice at once: plain increments, no lookup but that of the row, and
 * the beginning of what is under way needs no map of its own.
 */
struct snapscope_stock_row {
    unsigned long long started_ns;       /* of the snapshot under way; 0: none */
    unsigned long long entry_count;      /* its snapXactCompletionCount before */
    unsigned long long wait_started_ns;  /* for ProcArrayLock; 0: none */
    unsigned int wait_mode;
    unsigned int pid;                    /* the last owner seen */
    unsigned long long scanned, reused;  /* snapshots */
    unsigned long long xids, subxids;    /* xcnt and subxcnt of scanned ones */
    unsigned long long suboverflowed;
    unsigned long long new_xids;         /* calls of GetNewTransactionId */
    unsigned long long ends_with_xid, ends_without_xid;
    unsigned long long waits[2];         /* by mode; finished ones */
    unsigned long long wait_ns[2];
    unsigned long long min_ns[SNAPSCOPE_STOCK_HISTOGRAMS], max_ns[SNAPSCOPE_STOCK_HISTOGRAMS];
    unsigned long long buckets[SNAPSCOPE_STOCK_HISTOGRAMS][SNAPSCOPE_BUCKETS];
};

/* Traps by SNAPSCOPE_STOCK_*: of the server that is meant, and of others that run the same binary. */
struct snapscope_stock_hits {
    unsigned long long own[SNAPSCOPE_STOCK_PROBES];
    unsigned long long others[SNAPSCOPE_STOCK_PROBES];
    unsigned long long unplaced;       /* own ones whose row could not be told */
    unsigned long long reserve_failed; /* events that found no room */
    unsigned int rows_given, pad;
    /* Who was last seen on this CPU: one of the server's, with this row. */
    unsigned long long last_task;
    unsigned int last_pid, last_row;
};

#endif
