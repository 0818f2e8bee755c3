#!/usr/bin/env bash
# demo.sh [--quick]: from nothing to a diff of a real PostgreSQL, cached
# against uncached: 12 pairs of blocks with 2000 idle connections, --quick 6
# pairs with 1000.  Results go to demo-out/.
set -euo pipefail
# shellcheck source=dev.d/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

arguments=()
for argument in "$@"; do
    [[ "$argument" == --quick ]] || usage_error "usage: ./dev demo [--quick]"
    arguments+=(--quick)
done

dev.d/setup.sh
say "building the program (some minutes the first time)"
build_targets snapscope snapscope-demo >&2
prefix=$(postgresql_prefix)
exec "$build_folder/lab/snapscope-demo" --prefix "$prefix" --snapscope "$build_folder/cli/snapscope" \
    --output demo-out "${arguments[@]}"
