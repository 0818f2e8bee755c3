#!/usr/bin/env bash
# Every variant of the model through SPIN, exhaustively: the protocol as it is
# must hold, and each variant that lacks something must fail in the property
# that is named here.  README.md says what the variants are.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
jobs=2
memory_mb=2000
limit_s=${SNAPSCOPE_MODEL_LIMIT_S:-600}

for tool in spin gcc; do
    command -v "$tool" >/dev/null || {
        echo "$tool is missing: the model of the lock-free read cannot be checked (Debian's package has the same name)"
        echo "0 passed, 1 failed, 0 skipped"
        exit 1
    }
done
work=$(mktemp -d "${TMPDIR:-/tmp}/snapscope-model-XXXXXX")
trap 'rm -rf "$work"' EXIT

# memory model, expected, what the variant defines; the longest first
variants=(
    'weak holds CACHED_HORIZON'
    'weak holds CACHED_HORIZON TWO_NEW'
    'weak holds'
    'weak holds TWO_NEW'
    'weak holds NO_INVALIDATE_WMB'
    'weak holds NO_INVALIDATE_WMB CACHED_HORIZON'
    'tso holds CACHED_HORIZON TWO_NEW'
    'tso holds CACHED_HORIZON REFRESH'
    'tso holds CACHED_HORIZON REFRESH COMPARE_HORIZON NO_P3'
    'tso holds CACHED_HORIZON'
    'tso holds TWO_NEW'
    'tso holds'
    'tso P2 NO_FULL_BARRIER'
    'tso P1 NO_RECHECK WITHIN_CALL_ONLY'
    'tso P2 LATE_PUBLISH'
    'tso P1 NO_INVALIDATE WITHIN_CALL_ONLY'
    'tso P3 NO_RETRACT_BUMP CACHED_HORIZON'
    'tso P3 NO_RETRACT_BARRIER CACHED_HORIZON'
    'tso P3 NO_LEAVE_BARRIER CACHED_HORIZON'
    'tso P3 LATE_EPOCH CACHED_HORIZON'
    'tso P3 CACHED_HORIZON REFRESH COMPARE_HORIZON'
    'weak P2 NO_FULL_BARRIER'
    'weak P1 NO_RECHECK WITHIN_CALL_ONLY'
    'weak P2 LATE_PUBLISH'
    'weak P1 NO_READ_BARRIER_FIRST WITHIN_CALL_ONLY'
    'weak P1 NO_READ_BARRIER_SECOND WITHIN_CALL_ONLY'
    'weak P1 NO_LOCKED_READ_BARRIER WITHIN_CALL_ONLY'
    'weak P1 NO_BUILD_WMB WITHIN_CALL_ONLY'
    'weak P3 NO_BUILD_BARRIER CACHED_HORIZON'
    'weak P3 NO_RETRACT_BUMP CACHED_HORIZON'
    'weak P3 NO_RETRACT_BARRIER CACHED_HORIZON'
    'weak P3 NO_LEAVE_BARRIER CACHED_HORIZON'
    'weak P3 NO_LEAVE_READ_BARRIER CACHED_HORIZON'
)

# verify MEMORY EXPECTED DEFINE...: one line on stdout, that starts with ok or FAILED.
verify() {
    local memory=$1 expected=$2 folder status=0 got states seconds
    shift 2
    folder=$(mktemp -d "$work/XXXXXX")
    cd "$folder"
    cp "$here"/*.pml .
    if ! { spin -a "${@/#/-D}" "$memory.pml" &&
        gcc -O1 -w -DSAFETY -DCOLLAPSE -DVECTORSZ=1024 -DMEMLIM="$memory_mb" -o pan pan.c; } >log 2>&1; then
        printf 'FAILED %-4s %s: does not compile: %s\n' "$memory" "$*" "$(tail -n 1 log)"
        return
    fi
    timeout "$limit_s" ./pan -m100000 -n >log 2>&1 || status=$?
    got=$(sed -n 's/^pan:1: \(.*\) (at depth.*/\1/p' log)
    got=${got#assertion violated }
    # A search that was cut short proves nothing.
    if [[ -z "$got" ]]; then
        if grep -q 'errors: 0$' log && ! grep -qE 'Search not completed|max search depth too small' log; then
            got=holds
        else
            got="ended early (exit status $status)"
        fi
    fi
    states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' log)
    seconds=$(sed -n 's/^pan: elapsed time \([0-9.]*\) seconds.*/\1/p' log)
    status=FAILED
    if [[ "$got" == "$expected" || "$got" == "${expected}_"* ]]; then status=ok; fi
    printf '%-6s %-4s %-42s %s, expected %s; %s states, %s s\n' \
        "$status" "$memory" "${*:-(complete)}" "$got" "$expected" "${states:-?}" "${seconds:-?}"
    rm -rf "$folder"
}

for variant in "${variants[@]}"; do
    while (($(jobs -rp | wc -l) >= jobs)); do wait -n; done
    read -ra words <<<"$variant"
    verify "${words[@]}" >>"$work/results" &
done
wait
cat "$work/results"

failed=$(grep -cv '^ok ' "$work/results" || true)
passed=$(grep -c '^ok ' "$work/results" || true)
failed=$((failed + ${#variants[@]} - passed - failed))
echo "$passed passed, $failed failed, 0 skipped"
((failed == 0))
