#!/usr/bin/env bash
# fetch-source.sh [--sum]
#
# Prints the path of PostgreSQL's source tarball, fetching it when the cache
# does not hold it yet; with --sum the tarball's SHA-256, and fetches nothing.
#
# By default this is the upstream tarball inside Debian's source package
# postgresql-13 (suite bullseye, PostgreSQL 13.16): fetched by name through
# apt, with lists, cache and configuration of our own, so that this machine's
# stay as they are.  The address of the archive is the one that apt already
# uses here; it is asked for at run time and written nowhere.  Signatures are
# checked with Debian's keyring, and the tarball against the sum below.
#
# SNAPSCOPE_PG_SOURCE=FILE.tar.bz2|FILE.tar.gz names another tarball of
# PostgreSQL 12 or 13 instead.
set -euo pipefail
# shellcheck source=patched-pg/build/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=patched-pg/build/private_apt.sh
source "$(dirname "${BASH_SOURCE[0]}")/private_apt.sh"

readonly package=postgresql-13
readonly suite=bullseye
readonly sha256=c9cbbb6129f02328204828066bb3785c00a85c8ca8fd329c2a8a53c1f5cd8865

sum_only=no
[[ $# == 0 ]] || [[ $# == 1 && $1 == --sum ]] || { say "usage: fetch-source.sh [--sum]" && exit 2; }
[[ $# == 0 ]] || sum_only=yes

sum_of() { sha256sum <"$1" | cut -d' ' -f1; }

if [[ -n "${SNAPSCOPE_PG_SOURCE:-}" ]]; then
    [[ -r "$SNAPSCOPE_PG_SOURCE" ]] || die "SNAPSCOPE_PG_SOURCE: cannot read '$SNAPSCOPE_PG_SOURCE'"
    case "$sum_only $SNAPSCOPE_PG_SOURCE" in
    yes\ *) sum_of "$SNAPSCOPE_PG_SOURCE" ;;
    *.tar.bz2 | *.tar.gz) realpath "$SNAPSCOPE_PG_SOURCE" ;;
    *) die "SNAPSCOPE_PG_SOURCE: '$SNAPSCOPE_PG_SOURCE' is neither a .tar.bz2 nor a .tar.gz" ;;
    esac
    exit 0
fi
if [[ $sum_only == yes ]]; then
    printf '%s\n' "$sha256"
    exit 0
fi

umask 022
cache=$(snapscope_cache)/source
tarball=$cache/${package}-${sha256:0:12}.orig.tar.bz2
if [[ -r "$tarball" ]]; then
    printf '%s\n' "$tarball"
    exit 0
fi

mkdir -p "$cache"
hold_lock "$cache/.lock"
if [[ -r "$tarball" ]]; then # another call fetched it meanwhile
    printf '%s\n' "$tarball"
    exit 0
fi

state=$(mktemp -d "$cache/.fetch.XXXXXXXX")
trap 'rm -rf "$state"' EXIT
trap 'exit 130' INT TERM HUP
open_private_apt "$state" deb-src "$suite" "give a tarball in SNAPSCOPE_PG_SOURCE"

say "fetching the source of PostgreSQL 13.16 (Debian's package $package, $suite)"
{ private_apt update && private_apt source --download-only "$package"; } ||
    die "apt could not fetch the source package $package of $suite; SNAPSCOPE_PG_SOURCE takes a tarball instead"

found=("$state"/download/"$package"_*.orig.tar.bz2)
[[ ${#found[@]} == 1 && -r "${found[0]}" ]] ||
    die "Debian's source package $package holds no single upstream tarball; expected 13.16's"
actual=$(sum_of "${found[0]}")
[[ "$actual" == "$sha256" ]] ||
    die "${found[0]##*/} has the SHA-256 $actual, expected $sha256 (PostgreSQL 13.16)"
mv "${found[0]}" "$tarball"
printf '%s\n' "$tarball"
