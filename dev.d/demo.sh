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

# An ordinary user's servers are its own and their rings need no rights; what
# the kernel counts does.  The rights go to the program, which gives back what
# it does not use.
grant_probes() {
    local program=$1 rights=cap_bpf,cap_perfmon
    ((EUID != 0)) || return 0
    PATH=$PATH:/usr/sbin:/sbin
    [[ "$(getcap "$program" 2>/dev/null)" != *cap_bpf* ]] || return 0
    if [[ -t 0 ]] && command -v sudo >/dev/null; then
        say "which backend ran on which CPU, and eBPF: these probes need CAP_BPF and CAP_PERFMON"
        say "as root: setcap $rights+ep $program"
        sudo -- setcap "$rights+ep" "$program" && return 0
    fi
    say "going on without CAP_BPF and CAP_PERFMON: no eBPF, and CPU time is read once an interval"
    say "to have them, as root: setcap $rights+ep $program"
}
grant_probes "$build_folder/cli/snapscope"

exec "$build_folder/lab/snapscope-demo" --prefix "$prefix" --snapscope "$build_folder/cli/snapscope" \
    --output demo-out "${arguments[@]}"
