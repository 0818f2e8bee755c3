# shellcheck shell=bash
# Shared by the scripts of tests/pg.  Sourced, never run.
#
# Given: SNAPSCOPE_PG_PREFIX, the patched server; SNAPSCOPE_PG_TREE, its build
# tree; SNAPSCOPE_FULL.  Servers run under the servers' account, on unix sockets
# in a folder of their own that is removed at the end.

# shellcheck source=patched-pg/build/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../patched-pg/build/common.sh"

: "${SNAPSCOPE_PG_PREFIX:?}" "${SNAPSCOPE_PG_TREE:?}"
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
