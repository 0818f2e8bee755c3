#!/usr/bin/env bash
# lint.sh: formatting, static checks, scripts, and names of machines that
# slipped in.  Goes through all of them and fails at the end.
set -euo pipefail
# shellcheck source=dev.d/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[[ $# == 0 ]] || usage_error "usage: ./dev lint"

dev.d/setup.sh
status=0
check() {
    local words=$1
    shift
    say "lint: $words"
    "$@" || {
        status=1
        say "lint: $words: failed"
    }
}

# The code of patched-pg follows PostgreSQL's own style.
sources() { git ls-files -- "$@" ':!patched-pg'; }

# C++ only: in the C that PostgreSQL and BPF compile, tables are aligned by
# hand, and the order of includes matters.
formatting() { sources '*.cpp' '*.hpp' | xargs clang-format-14 --dry-run -Werror; }

static_checks() {
    build_targets # headers that are made, and the compile commands
    local output
    output=$(sources '*.cpp' | sed "s|^|^$root/|; s|\$|\$|" |
        xargs run-clang-tidy-14 -quiet -p "$build_folder" -j "$(nproc)" 2>/dev/null) || {
        grep -E -A4 '(error|warning):' <<<"$output" >&2 || true
        return 1
    }
}

scripts() {
    git ls-files | while read -r file; do
        if [[ "$file" == *.sh ]] || head -n 1 "$file" 2>/dev/null | grep -qaE '^#!.*\b(bash|sh)$'; then
            printf '%s\n' "$file"
        fi
    done | xargs shellcheck --external-sources
}

# Hosts that a reader may meet here; any other is taken for one that slipped in.
known_hosts='ui\.perfetto\.dev|json-schema\.org|www\.postgresql\.org|git\.postgresql\.org|diamon\.org|brendangregg\.com|www\.w3\.org|github\.com|127\.0\.0\.1|localhost|example\.(com|org)'

no_machine_names() {
    local found=0
    if git grep -nIE '(^|[^[:alnum:]_./-])/(home|root|work|Users)/[[:alnum:]]' -- ':!dev.d/lint.sh'; then
        say "  these lines hold a path of one machine"
        found=1
    fi
    if git grep -noIE '[a-z]+://[[:alnum:]][[:alnum:].-]*' -- ':!tests/cases' |
        grep -vE "://($known_hosts)\$|://[^.]*\$"; then
        say "  these addresses are not in dev.d/lint.sh's list of known hosts"
        found=1
    fi
    return "$found"
}

check "formatting (clang-format)" formatting
check "static checks (clang-tidy)" static_checks
check "scripts (shellcheck)" scripts
check "no names of machines" no_machine_names
((status == 0)) && say "lint: clean"
exit $status
