#!/usr/bin/env bash
# PostgreSQL's own regression and isolation suites: without a cache, and with
# every cached snapshot compared with a fresh scan.  `off` and `copy` always; of
# the other modes one a run, in turn, or all with --full.
set -euo pipefail
# shellcheck source=tests/pg/lib.sh disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

modes=(off copy)
if [[ "${SNAPSCOPE_FULL:-no}" == yes ]]; then
    modes+=(spin lockfree)
else
    others=(lockfree spin)
    turn=$(next_turn core 2)
    modes+=("${others[turn]}")
    echo "left out this time: ${others[1 - turn]}"
fi
for mode in "${modes[@]}"; do
    suite "$mode" src/test/regress
    suite "$mode" src/test/isolation
done
sum_up
