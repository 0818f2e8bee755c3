#!/usr/bin/env bash
# PostgreSQL's recovery and subscription suites with every cached snapshot
# compared with a fresh scan: one suite in one mode a run, in turn, or all with
# --full.
set -euo pipefail
# shellcheck source=tests/pg/lib.sh disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

runs=()
for mode in lockfree copy spin off; do
    runs+=("$mode recovery" "$mode subscription")
done
if [[ "${SNAPSCOPE_FULL:-no}" != yes ]]; then
    turn=$(next_turn replication ${#runs[@]})
    chosen=${runs[turn]}
    unset "runs[turn]"
    printf 'left out this time: %s\n' "$(printf '%s, ' "${runs[@]}")"
    runs=("$chosen")
fi
for run in "${runs[@]}"; do
    suite "${run% *}" "src/test/${run#* }"
done
sum_up
