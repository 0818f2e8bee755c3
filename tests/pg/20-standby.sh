#!/usr/bin/env bash
# A primary and a standby with feedback under a mixed load, then promotion with
# prepared transactions kept: every cached snapshot is verified on both, and the
# sum of all accounts never changes.
set -euo pipefail
# shellcheck source=tests/pg/lib.sh disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

seconds=12
[[ "${SNAPSCOPE_FULL:-no}" != yes ]] || seconds=60
mode=copy

as_server_user "$bin/initdb" -D "$work/primary" -A trust -N >/dev/null
{
    settings "$mode"
    printf '%s\n' 'wal_level = replica' 'max_wal_senders = 4' 'hot_standby_feedback = on' \
        'wal_receiver_status_interval = 1' 'autovacuum_naptime = 1' 'max_standby_streaming_delay = -1'
} >>"$work/primary/postgresql.conf"
start primary 5701
query 5701 "CREATE TABLE account (id int PRIMARY KEY, balance bigint);
            INSERT INTO account SELECT i, 1000 * (i <= 100)::int FROM generate_series(1, 103) i;"

as_server_user "$bin/pg_basebackup" -h "$work" -p 5701 -D "$work/standby" -R -N
start standby 5702

# Three kinds of writers, and a reader that sees only the one right sum.
cat >transfer.sql <<'SQL'
\set from random(1, 100)
\set to random(1, 100)
\set amount random(1, 50)
BEGIN;
SAVEPOINT first;
UPDATE account SET balance = balance - :amount WHERE id = least(:from, :to);
ROLLBACK TO first;
UPDATE account SET balance = balance - :amount WHERE id = least(:from, :to);
SAVEPOINT second;
UPDATE account SET balance = balance + :amount WHERE id = greatest(:from, :to);
COMMIT;
SQL
cat >prepared.sql <<'SQL'
\set from random(1, 99)
\set amount random(1, 50)
\set number random(1, 1000000000)
BEGIN;
UPDATE account SET balance = balance - :amount WHERE id = :from;
UPDATE account SET balance = balance + :amount WHERE id = :from + 1;
PREPARE TRANSACTION 'p:client_id.:number';
COMMIT PREPARED 'p:client_id.:number';
SQL
cat >overflow.sql <<'SQL'
BEGIN;
DO $$ BEGIN FOR i IN 1..80 LOOP BEGIN
    UPDATE account SET balance = balance WHERE id = 1 + i % 100;
    IF i % 7 = 0 THEN RAISE division_by_zero; END IF;
EXCEPTION WHEN division_by_zero THEN NULL; END; END LOOP; END $$;
COMMIT;
SQL
cat >reader.sql <<'SQL'
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT 1 / (sum(balance) = 100000)::int FROM account;
SELECT 1 / (sum(balance) = 100000)::int FROM account;
COMMIT;
SQL
chmod a+r ./*.sql

loads=()
# load PORT FILE CLIENTS: in the background; deadlocks among writers are expected, wrong sums are not.
load() {
    as_server_user "$bin/pgbench" -n -h "$work" -p "$1" -f "$2" -c "$3" -T "$4" postgres >"$work/load-$1-$2.log" 2>&1 &
    loads+=($!)
}
load 5701 transfer.sql 3 "$seconds"
load 5701 prepared.sql 2 "$seconds"
load 5701 overflow.sql 1 "$seconds"
load 5701 reader.sql 2 "$seconds"
load 5702 reader.sql 3 $((seconds + 8))

sleep $((seconds - 2))
for i in 1 2 3; do
    # Rows that no load touches: it would wait for these transactions.
    query 5701 "BEGIN; UPDATE account SET balance = balance + 0 WHERE id = 100 + $i; PREPARE TRANSACTION 'kept$i'"
done

# Everything written so far is on the standby before the primary stops.
for pid in "${loads[@]:0:4}"; do wait "$pid" || true; done
lsn=$(query 5701 'SELECT pg_current_wal_flush_lsn()')
until [[ $(query 5702 "SELECT pg_last_wal_replay_lsn() >= '$lsn'") == t ]]; do sleep 0.2; done
as_server_user "$bin/pg_ctl" -D "$work/primary" -m immediate -s stop

query 5702 'SELECT pg_promote(true, 60)' >/dev/null
for _ in $(seq 20); do query 5702 'UPDATE account SET balance = balance WHERE id = 1'; done
[[ $(query 5702 "SELECT count(*) FROM pg_prepared_xacts WHERE gid LIKE 'kept%'") == 3 ]]
for gid in $(query 5702 'SELECT gid FROM pg_prepared_xacts'); do query 5702 "COMMIT PREPARED '$gid'"; done
[[ $(query 5702 'SELECT sum(balance) FROM account') == 100000 ]]

for pid in "${loads[@]:4}"; do wait "$pid" || true; done
! grep -H 'division by zero' "$work"/load-*-reader.sql.log || { echo 'a reader saw a sum that never was'; exit 1; }
log_is_clean primary
log_is_clean standby
# The standby's readers were served from the copy.
reused=$(query 5702 'SELECT sum(reused) FROM pg_stat_snapshot_cache')
((reused > 1000)) || { echo "only $reused snapshots of the standby came from the copy"; exit 1; }
echo "3 prepared transactions kept, $reused snapshots reused on the standby"
