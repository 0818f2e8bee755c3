#!/usr/bin/env bash
# debian.sh 15
#
# Unpacks Debian 12's PostgreSQL 15 with our extension, once, and prints the
# prefix, whose bin/ holds its programs:
#
#   CACHE/postgresql/debian15-VERSION-KEY/files     the packages' contents
#   CACHE/postgresql/debian15-VERSION-KEY/install   the prefix; ends the path printed
#
# Nothing is installed, started or configured: the packages are fetched by name
# through apt, with lists and cache of our own, as fetch-source.sh does it, and
# unpacked without their scripts.  Libraries that this machine lacks are
# unpacked beside them and found by these programs alone.  The compiler of
# queries (llvmjit) is left out.
#
# KEY is a hash over this script and the extension.  A second call finds what
# was unpacked and asks apt nothing; a new version comes with `rm -r` of it.
set -euo pipefail
# shellcheck source=patched-pg/build/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=patched-pg/build/private_apt.sh
source "$(dirname "${BASH_SOURCE[0]}")/private_apt.sh"

[[ $# == 1 && $1 == 15 ]] || { say "usage: debian.sh 15" && exit 2; }
readonly major=15
readonly suite=bookworm
readonly packages=("postgresql-$major" "postgresql-client-$major" "postgresql-server-dev-$major")

umask 022
unset MAKEFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS
root=$(snapscope_root)
cache=$(snapscope_cache)/postgresql
key=$(cd "$root" && find patched-pg/build/debian.sh patched-pg/extension -type f ! -name '*.o' ! -name '*.so' ! -name '*.bc' |
    LC_ALL=C sort | tr '\n' '\0' | xargs -0 sha256sum | sha256sum | cut -c1-16)

# What was unpacked before, whatever its version.
finish_if_there() {
    local stamps=("$cache/debian$major"-*-"$key/complete")
    [[ -e "${stamps[0]}" ]] || return 0
    touch "${stamps[0]}" # also says when it was last used
    printf '%s\n' "${stamps[0]%/complete}/install"
    exit 0
}
finish_if_there
mkdir -p "$cache/logs"
hold_lock "$cache/.lock-debian$major-$key"
finish_if_there # somebody else made it while we waited

log=$cache/logs/debian$major-$key.log
: >"$log"
home=$(mktemp -d "$cache/.debian$major.XXXXXXXX")
chmod 755 "$home"
trap 'rm -rf "$home"' EXIT
trap 'exit 130' INT TERM HUP

failed_to() {
    tail -n 12 "$log" | sed 's/^/  /' >&2
    die "PostgreSQL $major of Debian: failed to $1; the whole log is $log"
}

# --- fetching ---------------------------------------------------------------

state=$home/apt
mkdir -p "$home/files"
open_private_apt "$state" deb "$suite"

installed() {
    [[ "$(dpkg-query --show --showformat '${db:Status-Status}' "$1" 2>/dev/null)" == installed* ]]
}

# Libraries that the package files in the arguments need and this machine lacks.
missing_libraries() {
    local file names name
    for file in "$@"; do
        dpkg-deb --field "$file" Depends Pre-Depends
    done | sed 's/^[A-Za-z-]*: //' | tr ',' '\n' | sed 's/|.*//; s/(.*//; s/:any//; s/ //g' |
        sed -n '/^libllvm/d; /^lib.*-dev$/d; /^lib/p' | LC_ALL=C sort -u |
        while read -r name; do
            names=("$state/download/${name}"_*.deb)
            [[ -e "${names[0]}" ]] || installed "$name" || printf '%s\n' "$name"
        done
}

say "fetching PostgreSQL $major of Debian ($suite)"
private_apt update || die "apt could not read the archive's lists"
private_apt download "${packages[@]}" || die "apt could not fetch ${packages[*]}"
libraries=()
while mapfile -t wanted < <(missing_libraries "$state"/download/*.deb) && ((${#wanted[@]} > 0)); do
    private_apt download "${wanted[@]}" || die "apt could not fetch the libraries ${wanted[*]}"
    libraries+=("${wanted[@]}")
done
version=$(dpkg-deb --field "$state/download/postgresql-${major}"_*.deb Version)

for file in "$state"/download/*.deb; do
    dpkg-deb --extract "$file" "$home/files" >>"$log" 2>&1 || failed_to "unpack ${file##*/}"
done
rm -rf "$state"
rm -rf "$home/files/usr/lib/postgresql/$major/lib/"{llvmjit*,bitcode}

# --- its programs, where the caller looks for them --------------------------

# PostgreSQL finds what belongs to it from where its program really lies.
final=$cache/debian$major-$version-$key
programs=usr/lib/postgresql/$major/bin
link_programs() {
    local program name folders=() joined
    mkdir -p "$home/install/bin"
    mapfile -t folders < <(cd "$home/files" && find . -name 'lib*.so.*' -printf '%h\n' | sed 's#^\./##' | LC_ALL=C sort -u)
    joined=$(printf ':%s' "${folders[@]/#/$final/files/}")
    for program in "$home/files/$programs"/*; do
        name=${program##*/}
        if ((${#libraries[@]} == 0)); then
            ln -s "../../files/$programs/$name" "$home/install/bin/$name"
        else
            # shellcheck disable=SC2016 # for the script that it writes
            printf '#!/bin/sh\nLD_LIBRARY_PATH=%s${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec %s "$@"\n' "${joined#:}" \
                "$final/files/$programs/$name" >"$home/install/bin/$name"
            chmod 755 "$home/install/bin/$name"
        fi
    done
}
link_programs

# From here on at its final place: the scripts above name it.
rm -rf "$final"
mv "$home" "$final"
mkdir "$home"
trap '[[ -e "$final/complete" ]] || rm -rf "$final"; rm -rf "$home"' EXIT

{
    cp -R "$root/patched-pg/extension" "$final/extension"
    make --directory="$final/extension" --silent USE_PGXS=1 PG_CONFIG="$final/install/bin/pg_config" \
        SNAPSCOPE_PATCHED=no with_llvm=no CC=gcc all install
} >>"$log" 2>&1 || failed_to "build the extension"
as_server_user "$final/install/bin/postgres" --version >>"$log" 2>&1 || failed_to "run it (as the servers' account)"
touch "$final/complete"
say "PostgreSQL $version of Debian is unpacked${libraries[*]:+, with the libraries ${libraries[*]}}"
printf '%s\n' "$final/install"
