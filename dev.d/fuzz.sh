#!/usr/bin/env bash
# fuzz.sh [SECONDS]: libFuzzer on every reader of other tools' files, SECONDS in
# all (default 30), from the stored corpora, with the address and
# undefined-behaviour sanitizers.  Fails at the first finding and says where
# the input is.
set -euo pipefail
# shellcheck source=dev.d/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

seconds=${1:-30}
[[ $# -le 1 && "$seconds" =~ ^[0-9]+$ ]] || usage_error "usage: ./dev fuzz [SECONDS]"

fuzzers=(pcm c2c perf_script pgbench histogram waits)
fuzzers=("${fuzzers[@]/#/fuzz_import_}" fuzz_topology fuzz_layout fuzz_perf_stream fuzz_pcm_live)
folder=$root/build/fuzz

dev.d/setup.sh
say "fuzz: building"
[[ -f "$folder/build.ninja" ]] || cmake -S "$root" -B "$folder" -G Ninja -DSNAPSCOPE_FUZZ=ON -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14 \
    -DCMAKE_CXX_FLAGS="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all" >/dev/null
cmake --build "$folder" --target readers_fuzz_seeds "${fuzzers[@]}" >"$folder/build.log" 2>&1 || {
    tail -n 40 "$folder/build.log" >&2
    die "the fuzzers could not be built"
}
"$folder/readers/fuzz/readers_fuzz_seeds" "$folder/seeds"

each=$(((seconds + ${#fuzzers[@]} - 1) / ${#fuzzers[@]}))
for fuzzer in "${fuzzers[@]}"; do
    grown=$folder/grown/$fuzzer
    mkdir -p "$grown" "$folder/findings"
    corpora=("$folder/seeds/$fuzzer")
    [[ ! -d "readers/fuzz/corpus/$fuzzer" ]] || corpora+=("readers/fuzz/corpus/$fuzzer")
    "$folder/readers/fuzz/$fuzzer" -max_total_time="$each" -max_len=65536 -timeout=10 -rss_limit_mb=2048 \
        -artifact_prefix="$folder/findings/$fuzzer-" "$grown" "${corpora[@]}" >"$folder/$fuzzer.log" 2>&1 || {
        tail -n 40 "$folder/$fuzzer.log" >&2
        die "$fuzzer: a finding; the input is in build/fuzz/findings"
    }
    say "fuzz: $fuzzer: $(sed -n 's/^Done \([0-9]* runs in [0-9]* second(s)\)/\1/p' "$folder/$fuzzer.log"), no finding"
done
