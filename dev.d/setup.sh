#!/usr/bin/env bash
# setup.sh: installs the packages of packages.txt that are missing.  Well under
# a second when nothing is; root is needed only for what is.
set -euo pipefail
# shellcheck source=dev.d/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[[ $# == 0 ]] || usage_error "usage: ./dev setup"

command -v dpkg-query >/dev/null ||
    die "this set-up is for Debian; on another system install the like of dev.d/packages.txt by hand"

mapfile -t wanted < <(sed 's/#.*//; s/[[:space:]]*$//; /^$/d' dev.d/packages.txt)

# A node from elsewhere than Debian brings its own npm, and Debian's would not go with it.
if command -v npm >/dev/null; then
    mapfile -t wanted < <(printf '%s\n' "${wanted[@]}" | grep -vx npm)
fi

missing_packages() {
    local installed
    # dpkg-query fails when one of them is unknown, and still lists the others.
    installed=$(dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
        sed -n 's/^installed //p') || true
    comm -23 <(printf '%s\n' "${wanted[@]}" | LC_ALL=C sort -u) <(LC_ALL=C sort -u <<<"$installed")
}

# Debian's archive is where the source of PostgreSQL comes from.
needs_lists() {
    [[ -z "${SNAPSCOPE_PG_SOURCE:-}" ]] || return 1
    ! compgen -G "$(snapscope_cache)/source/*.tar.bz2" >/dev/null || return 1
    [[ -z "$(apt-get indextargets 'Created-By: Packages' 2>/dev/null | head -c 1)" ]]
}

# Runs a command as root, or says what has to be run.
as_root() {
    if ((EUID == 0)); then
        "$@"
    elif command -v sudo >/dev/null; then
        say "as root: $*"
        sudo -- "$@"
    else
        die "run this as root, then try again: $*"
    fi
}

apt_get() {
    local output
    output=$(as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y "$@" 2>&1) && return 0
    # Addresses of archives stay out of what is kept of this.
    sed -E 's#[a-z+]+://[^ ]*#(the archive)#g; s/^/  /' <<<"$output" | tail -n 15 >&2
    return 1
}

# DuckDB's library, which `snapscope fleet` loads: out of its npm package, put
# where the program looks for it.  Not needed for anything else.
install_duckdb() {
    local cache packages library
    cache=$(snapscope_cache)
    packages=$(node cmake/npm_modules.mjs fleet/npm 2>/dev/null) || {
        say "setup: no DuckDB for this machine from npm; snapscope fleet takes another library with --duckdb"
        return 0
    }
    library=$packages/@duckdb/node-bindings-linux-x64/libduckdb.so
    [[ "$(readlink "$cache/lib/libduckdb.so" 2>/dev/null)" != "$library" ]] || return 0
    mkdir -p "$cache/lib"
    ln -sfn "$library" "$cache/lib/libduckdb.so"
}

mapfile -t missing < <(missing_packages)
if ((${#missing[@]} == 0)) && ! needs_lists; then
    install_duckdb
    say "setup: nothing is missing"
    exit 0
fi

if needs_lists; then
    say "setup: asking apt for its package lists (root is needed for that)"
    apt_get update || die "apt-get update failed"
fi
if ((${#missing[@]} > 0)); then
    say "setup: installing ${#missing[@]} packages (root is needed for that): ${missing[*]}"
    if ! apt-get -s install --no-install-recommends "${missing[@]}" >/dev/null 2>&1; then
        say "setup: apt does not know all of them yet; asking it for its package lists"
        apt_get update || die "apt-get update failed"
    fi
    apt_get install --no-install-recommends "${missing[@]}" || die "apt-get could not install what is missing"
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]} == 0)) || die "still missing after the installation: ${missing[*]}"
fi
install_duckdb
say "setup: done"
