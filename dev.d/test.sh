#!/usr/bin/env bash
# test.sh [--full]: every test, and one line that sums them up.
#
#   unit          parts by themselves
#   integration   against a real server, kernel or host
#   tests/pg/*.sh PostgreSQL's own suites and our scenarios on the patched
#                 server.  A script is one test: exit 0 passed, 77 skipped (its
#                 last line says why), else failed; one that runs a suite ends
#                 in a line "N passed, N failed, N skipped", which counts
#                 instead.  It gets SNAPSCOPE_PG_PREFIX, SNAPSCOPE_PG_TREE and
#                 SNAPSCOPE_FULL (yes or no).
#
# The mirror is also tested on servers of other versions where
# SNAPSCOPE_PG14_PREFIX, ..16.., ..17.., ..18.. name installed ones.
#
# --full also runs the tests with the label `full`.  Servers run under the
# account of SNAPSCOPE_SERVER_USER when this is root.
set -euo pipefail
# shellcheck source=dev.d/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

full=no
for argument in "$@"; do
    [[ "$argument" == --full ]] || usage_error "usage: ./dev test [--full]"
    full=yes
done

passed=0
failed=0
skipped=0
failures=()
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# run_ctest LABEL PARALLEL [SECONDS]: the ctest tests with that label, each within so long.
run_ctest() {
    local label=$1 jobs=$2 limit=${3:-600} report=$results/$1.xml
    say "tests: $label"
    ctest --test-dir "$build_folder" --label-regex "^$label\$" --parallel "$jobs" --timeout "$limit" \
        --output-on-failure --progress --no-tests=ignore --output-junit "$report" >"$results/$label.out" 2>&1 || true
    [[ -r "$report" ]] || {
        cat "$results/$label.out" >&2
        die "ctest did not run the $label tests"
    }
    local counts tests wrong passed_over
    counts=$(sed -n '/<testsuite /,/>/p' "$report" | tr '\n\t' '  ')
    tests=$(sed -n 's/.* tests="\([0-9]*\)".*/\1/p' <<<"$counts")
    wrong=$(sed -n 's/.* failures="\([0-9]*\)".*/\1/p' <<<"$counts")
    passed_over=$(($(sed -n 's/.* skipped="\([0-9]*\)".*/\1/p' <<<"$counts") +
        $(sed -n 's/.* disabled="\([0-9]*\)".*/\1/p' <<<"$counts")))
    passed=$((passed + tests - wrong - passed_over))
    failed=$((failed + wrong))
    skipped=$((skipped + passed_over))
    if ((wrong > 0)); then
        failures+=("$wrong $label tests")
        # From the first failure's output on; the progress lines are noise.
        grep -v '^ *[0-9]*/[0-9]* Test .*Passed' "$results/$label.out" >&2 || true
    fi
    # A skipped test says why.
    grep -hE -A1 ': Skipped$' "$report" "$results/$label.out" 2>/dev/null | grep -vE '^--$' | sort -u >&2 || true
}

run_script() {
    local script=$1 name output=$results/script.out status=0 start=$SECONDS last
    name=$(basename "$script" .sh)
    say "tests: $name"
    "$script" >"$output" 2>&1 </dev/null || status=$?
    last=$(tail -n 1 "$output")
    if [[ "$last" =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
        skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
        # A suite that fails otherwise than by a test is a failure, too.
        if ((BASH_REMATCH[2] == 0 && status != 0)); then failed=$((failed + 1)); fi
        if ((BASH_REMATCH[2] > 0)); then status=1; fi
    elif ((status == 0)); then
        passed=$((passed + 1))
    elif ((status == 77)); then
        skipped=$((skipped + 1))
        say "  skipped: $last"
        status=0
    else
        failed=$((failed + 1))
    fi
    if ((status != 0)); then
        failures+=("$name")
        tail -n 60 "$output" | sed 's/^/  /' >&2
    fi
    say "  $((SECONDS - start)) s${last:+, $last}"
}

dev.d/setup.sh
say "building the program and its tests (some minutes the first time)"
build_targets
SNAPSCOPE_PG_PREFIX=$(postgresql_prefix)
SNAPSCOPE_PG_TREE=$(dirname "$SNAPSCOPE_PG_PREFIX")/tree
SNAPSCOPE_PG_FAULTS_PREFIX=$(postgresql_prefix --faults)
SNAPSCOPE_PG_UNPATCHED_PREFIX=$(postgresql_prefix --unpatched)
SNAPSCOPE_PG_DEBIAN15_PREFIX=$(patched-pg/build/debian.sh 15) || say "going on without Debian's PostgreSQL 15"
SNAPSCOPE_FULL=$full
export SNAPSCOPE_PG_PREFIX SNAPSCOPE_PG_TREE SNAPSCOPE_PG_FAULTS_PREFIX SNAPSCOPE_PG_UNPATCHED_PREFIX \
    SNAPSCOPE_PG_DEBIAN15_PREFIX SNAPSCOPE_FULL

run_ctest unit "$(nproc)"
run_ctest integration 1
# Minutes of torture each: they share the processors, which also makes for more
# interleavings.  What must be alone says so itself (RUN_SERIAL).
[[ $full == no ]] || run_ctest full "$((2 * $(nproc)))" 3600
shopt -s nullglob
for script in tests/pg/*.sh; do
    [[ ! -x "$script" ]] || run_script "$script"
done

((${#failures[@]} == 0)) || say "failed: ${failures[*]}"
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
((failed == 0 && passed > 0))
