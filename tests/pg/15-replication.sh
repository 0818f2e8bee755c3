#!/usr/bin/env bash
# PostgreSQL's recovery and subscription suites with every cached snapshot
# compared with a fresh scan: one mode a run, in turn, or all with --full.
set -euo pipefail
# shellcheck source=tests/pg/lib.sh disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

modes=(lockfree copy spin off)
if [[ "${SNAPSCOPE_FULL:-no}" != yes ]]; then
    turn=$(next_turn replication ${#modes[@]})
    mode=${modes[turn]}
    unset "modes[turn]"
    echo "left out this time: ${modes[*]}"
    modes=("$mode")
fi
for mode in "${modes[@]}"; do
    suite "$mode" src/test/recovery
    suite "$mode" src/test/subscription
done
sum_up
