# shellcheck shell=bash
# Shared by the scripts of tests/pg.  Sourced, never run.
#
# Given: SNAPSCOPE_PG_PREFIX, the patched server; SNAPSCOPE_PG_TREE, its build
# tree; SNAPSCOPE_FULL.  Servers run under the servers' account, on unix sockets
# in a folder of their own that is removed at the end.

# shellcheck source=patched-pg/build/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../patched-pg/build/common.sh"

: "${SNAPSCOPE_PG_PREFIX:?}" "${SNAPSCOPE_PG_TREE:?}"
# Made while the scripts' names still hold: they may be relative.
# shellcheck disable=SC2034
root=$(snapscope_root)
bin=$SNAPSCOPE_PG_PREFIX/bin
work=$(mktemp -d "${TMPDIR:-/tmp}/snapscope-pg-XXXXXX")
user=$(snapscope_server_user)
[[ -z "$user" ]] || chown "$user" "$work"
cd "$work" || exit 1

clusters=()
clean_up() {
    local data
    for data in "${clusters[@]}"; do
        [[ ! -e "$data/postmaster.pid" ]] || as_server_user "$bin/pg_ctl" -D "$data" -m immediate -s stop || true
    done
    cd /
    rm -rf "$work"
}
trap clean_up EXIT

# Settings that every server of these tests has, with snapshot_cache = MODE.
settings() {
    printf '%s\n' "snapshot_cache = $1" 'snapshot_cache_verify = on' 'max_prepared_transactions = 20' 'fsync = off' \
        "listen_addresses = ''" "unix_socket_directories = '$work'" 'max_connections = 60'
}

# start NAME PORT: starts the cluster in $work/NAME and waits until it answers.
start() {
    clusters+=("$work/$1")
    as_server_user "$bin/pg_ctl" -D "$work/$1" -l "$work/$1.log" -o "-p $2" -w -s start || {
        tail -n 20 "$work/$1.log"
        return 1
    }
}

# query PORT SQL: its result, unaligned.
query() { as_server_user "$bin/psql" -X -A -t -q -v ON_ERROR_STOP=1 -h "$work" -p "$1" -d postgres -c "$2"; }

# The verification and the server have nothing to complain about in NAME's log.
log_is_clean() {
    if grep -E 'PANIC|snapshot cache:|TRAP:|terminated by signal' "$work/$1.log"; then
        echo "the log of $1 holds the above"
        return 1
    fi
}

# next_turn NAME N: a number below N that comes round, from run to run.
next_turn() {
    local file last
    file=$(snapscope_cache)/turn-$1
    last=$(cat "$file" 2>/dev/null) || last=-1
    [[ "$last" =~ ^[0-9]{1,9}$ ]] || last=-1
    last=$(((last + 1) % $2))
    printf '%s\n' "$last" >"$file"
    printf '%s\n' "$last"
}

passed=0
failed=0
# suite MODE FOLDER [TARGET]: a suite of PostgreSQL's build tree, with what
# failed and where on stdout.  Counts tests of pg_regress and files of TAP tests.
suite() {
    local mode=$1 folder=$2 target=${3:-check} log=$work/$1-${2##*/}.log ok bad status=0 jobs=1 start=$SECONDS logs
    printf '%s\n' "snapshot_cache = $mode" 'snapshot_cache_verify = on' 'max_prepared_transactions = 10' >"$work/$mode.conf"
    chmod a+r "$work/$mode.conf"
    # Only the world has suites to run side by side.
    [[ "$target" != check-world ]] || jobs=$(nproc)
    # The world's suites use memory and files of the tree side by side.
    as_server_user env "TEMP_CONFIG=$work/$mode.conf" make -s -k "-j$jobs" --output-sync=target -C "$SNAPSCOPE_PG_TREE/$folder" "$target" \
        "TEMP_CONFIG=$work/$mode.conf" >"$log" 2>&1 || status=$?
    ok=$(grep -cE '\.\.\. ok +[0-9]|^t/.* \.+ ok$' "$log" || true)
    bad=$(grep -cE ' \.\.\. FAILED| \(test process exited|failed \(ignored\)|^t/.* Wstat: ' "$log" || true)
    # A suite that ends badly without a failed test, or that ran none, has failed too.
    if ((bad == 0 && (status != 0 || ok == 0))); then bad=1; fi
    # Servers write their logs into the tree; only those of this run count.
    logs=$(find "$SNAPSCOPE_PG_TREE/$folder" -name '*.log' -newer "$work/$mode.conf" -print0 |
        xargs -0 --no-run-if-empty grep -lE 'PANIC:  snapshot cache|snapshot cache: ' || true)
    if [[ -n "$logs" ]]; then
        echo "the cache was caught at a difference: $logs"
        bad=$((bad + 1))
    fi
    if ((bad > 0)); then
        echo "$folder with snapshot_cache = $mode:"
        grep -E '^not ok|FAILED|Wstat|Error' "$log" | head -n 40
        tail -n 30 "$log"
        [[ ! -f "$SNAPSCOPE_PG_TREE/$folder/regression.diffs" ]] || tail -n 60 "$SNAPSCOPE_PG_TREE/$folder/regression.diffs"
    fi
    echo "$folder, snapshot_cache = $mode: $ok passed, $bad failed ($((SECONDS - start)) s)"
    passed=$((passed + ok))
    failed=$((failed + bad))
}

sum_up() {
    echo "$passed passed, $failed failed, 0 skipped"
    ((failed == 0))
}
