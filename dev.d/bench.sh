#!/usr/bin/env bash
# bench.sh [SUITE [--quick|--trial] [--format text|json]]: runs the benchmark
# bench/SUITE.
#
#   --quick   fewer cases and rounds, a few minutes
#   --trial   just so much that every piece runs; gives no figures to quote
#
# A suite is a program bench_SUITE of bench/.  It prints a table, or JSON, on
# stdout, and finds the servers in SNAPSCOPE_PG_PREFIX (patched),
# SNAPSCOPE_PG_UNPATCHED_PREFIX and, if it could be provided,
# SNAPSCOPE_PG_DEBIAN15_PREFIX.  `mirror` also measures what
# SNAPSCOPE_PG14_PREFIX, ..16.., ..17.., ..18.. name.
set -euo pipefail
# shellcheck source=dev.d/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

list_suites() { sed -n 's/^snapscope_bench(bench_\([a-z_]*\).*/\1/p' bench/CMakeLists.txt; }

suite=${1:-}
if [[ -z "$suite" ]]; then
    list_suites
    exit 0
fi
shift
list_suites | grep -qxF -- "$suite" || usage_error "there is no suite '$suite'; suites: $(list_suites | paste -sd' ')"

dev.d/setup.sh
say "building"
build_targets "bench_$suite" snapscope >&2
SNAPSCOPE_PG_PREFIX=$(postgresql_prefix)
SNAPSCOPE_PG_UNPATCHED_PREFIX=$(postgresql_prefix --unpatched)
SNAPSCOPE_PG_DEBIAN15_PREFIX=
case "$suite" in
mirror | snapshot | writers)
    SNAPSCOPE_PG_DEBIAN15_PREFIX=$(patched-pg/build/debian.sh 15) || say "going on without Debian's PostgreSQL 15"
    ;;
esac
SNAPSCOPE_COMMIT=$(git describe --always --dirty --abbrev=12 2>/dev/null) || SNAPSCOPE_COMMIT=
export SNAPSCOPE_COMMIT SNAPSCOPE_PG_PREFIX SNAPSCOPE_PG_UNPATCHED_PREFIX SNAPSCOPE_PG_DEBIAN15_PREFIX
exec "$build_folder/bench/bench_$suite" "$@"
