#!/usr/bin/env bash
# The core and isolation suites on builds that ship to nobody: with assertions,
# and with backends started by exec, which inherit no mapping.  --full only.
set -euo pipefail
if [[ "${SNAPSCOPE_FULL:-no}" != yes ]]; then
    echo "only with --full"
    exit 77
fi
# shellcheck source=tests/pg/lib.sh disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for build in --assertions --exec-backend; do
    prefix=$("$root/patched-pg/build/build.sh" "$build")
    SNAPSCOPE_PG_TREE=${prefix%/install}/tree
    echo "build.sh $build:"
    for mode in copy lockfree; do
        suite "$mode" src/test/regress
        suite "$mode" src/test/isolation
    done
done
sum_up
