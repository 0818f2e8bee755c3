#!/usr/bin/env bash
# The whole of PostgreSQL's check-world, TAP tests and all, in each mode with
# verify on.  Hours on a small machine: --full only.
set -euo pipefail
if [[ "${SNAPSCOPE_FULL:-no}" != yes ]]; then
    echo "only with --full"
    exit 77
fi
# shellcheck source=tests/pg/lib.sh disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# shellcheck disable=SC2086
for mode in ${SNAPSCOPE_WORLD_MODES:-off copy spin lockfree}; do
    suite "$mode" . check-world
done
sum_up
