#!/usr/bin/env bash
# Where the compiler has no 64-bit atomics PostgreSQL simulates them with locks:
# mode lockfree does not exist then, and all else still compiles.
set -euo pipefail
# shellcheck source=tests/pg/lib.sh disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cp -RL "$SNAPSCOPE_PG_TREE/src/include" "$work/include"
sed -i 's/^#define HAVE_ATOMICS 1$/#undef HAVE_ATOMICS/' "$work/include/pg_config.h"
grep -q '^#undef HAVE_ATOMICS' "$work/include/pg_config.h"

for file in "$SNAPSCOPE_PG_TREE"/src/backend/storage/ipc/{procarray,snapscope*}.c; do
    gcc -fsyntax-only -D_GNU_SOURCE -I"$work/include" "$file"
done
