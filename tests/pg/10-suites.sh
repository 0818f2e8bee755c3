#!/usr/bin/env bash
# PostgreSQL's own regression and isolation suites, without a cache and with
# one whose every snapshot is compared with a fresh scan.
set -euo pipefail
# shellcheck source=tests/pg/lib.sh disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

passed=0
failed=0
# suite MODE FOLDER: one suite, with what failed and where on stdout.
suite() {
    local mode=$1 folder=$2 log=$work/$1-${2##*/}.log ok bad
    printf '%s\n' "snapshot_cache = $mode" 'snapshot_cache_verify = on' 'max_prepared_transactions = 10' >"$work/$mode.conf"
    chmod a+r "$work/$mode.conf"
    local status=0
    as_server_user make -s -C "$SNAPSCOPE_PG_TREE/$folder" check "TEMP_CONFIG=$work/$mode.conf" >"$log" 2>&1 || status=$?
    ok=$(grep -cE '\.\.\. ok +[0-9]' "$log" || true)
    bad=$(grep -cE ' \.\.\. FAILED| \(test process exited|failed \(ignored\)' "$log" || true)
    # A suite that ends badly without a failed test, or that ran none, has failed too.
    if ((bad == 0 && (status != 0 || ok == 0))); then bad=1; fi
    if grep -rlE 'PANIC:|snapshot cache:' "$SNAPSCOPE_PG_TREE/$folder/log" "$SNAPSCOPE_PG_TREE/$folder/output_iso/log" 2>/dev/null; then
        bad=$((bad + 1))
    fi
    if ((bad > 0)); then
        echo "$folder with snapshot_cache = $mode:"
        tail -n 30 "$log"
        [[ ! -f "$SNAPSCOPE_PG_TREE/$folder/regression.diffs" ]] || tail -n 60 "$SNAPSCOPE_PG_TREE/$folder/regression.diffs"
    fi
    echo "$folder, snapshot_cache = $mode: $ok passed, $bad failed ($SECONDS s)"
    passed=$((passed + ok))
    failed=$((failed + bad))
}

for mode in off copy; do
    suite "$mode" src/test/regress
    suite "$mode" src/test/isolation
done
echo "$passed passed, $failed failed, 0 skipped"
((failed == 0))
