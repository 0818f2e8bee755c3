-- Nanoseconds of a GetSnapshotData() call: the mean over LOOPS calls in C.  With
-- PUBLISH each call finds the own xmin cleared and publishes it anew, as the
-- first one of a transaction does.  The own xmin comes back in the end, older
-- than what others may have been told meanwhile: snapshot_cache_verify, beside
-- writers, would call that an error.
CREATE FUNCTION snapscope_snapshot_ns(loops int, publish boolean DEFAULT false) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- Takes a new snapshot and shows its fields and the globals that go with it.
CREATE FUNCTION snapscope_snapshot(
    OUT xmin xid, OUT xmax xid, OUT xip xid[], OUT subxcnt int,
    OUT suboverflowed bool, OUT taken_during_recovery bool,
    OUT transaction_xmin xid, OUT recent_xmin xid,
    OUT recent_global_xmin xid, OUT recent_global_data_xmin xid)
AS 'MODULE_PATHNAME' LANGUAGE C;

-- The xmax of a snapshot that is filled where another one was, freed and zeroed, a moment before.
CREATE FUNCTION snapscope_refilled_xmax() RETURNS xid
AS 'MODULE_PATHNAME' LANGUAGE C;

-- Adds N idle entries to the proc array, as N idle connections would; single-user mode only.
CREATE FUNCTION snapscope_add_idle_procs(n int) RETURNS int
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

REVOKE ALL ON FUNCTION snapscope_snapshot_ns(int, boolean), snapscope_snapshot(), snapscope_refilled_xmax(),
    snapscope_add_idle_procs(int) FROM PUBLIC;
