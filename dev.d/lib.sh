# shellcheck shell=bash
# Shared by the verbs of ./dev.  Sourced, never run.

# shellcheck source=patched-pg/build/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../patched-pg/build/common.sh"

root=$(snapscope_root)
build_folder=$root/build/release
cd "$root" || exit 1

usage_error() {
    say "$1"
    exit 2
}

# Configures when needed and builds the targets given, or all.
build_targets() {
    [[ -f "$build_folder/build.ninja" ]] || cmake --preset release >/dev/null
    local targets=()
    [[ $# == 0 ]] || targets=(--target "$@")
    if [[ -t 1 ]]; then
        cmake --build "$build_folder" "${targets[@]}"
    else
        local output
        output=$(cmake --build "$build_folder" "${targets[@]}" 2>&1) || {
            printf '%s\n' "$output" | tail -n 60 >&2
            die "the build failed"
        }
    fi
}

# The prefix of PostgreSQL, built first when it has to be.
postgresql_prefix() { "$root/patched-pg/build/build.sh" "$@"; }
