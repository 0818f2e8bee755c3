#!/usr/bin/env bash
# build.sh [--unpatched] [--assertions] [--exec-backend] [--faults] [--where]
#
# Builds PostgreSQL with our patch series and our extension, once, and prints
# the prefix that it is installed under:
#
#   CACHE/postgresql/VARIANT-KEY/install   the prefix; ends the path printed
#   CACHE/postgresql/VARIANT-KEY/tree      the build tree, for its test suites
#
# KEY is a hash over everything that goes in: the source tarball, the patches,
# our files, the extension, these flags and the compiler.  A second call finds
# the build and returns at once.  A build that was interrupted is not taken for
# one: the stamp `complete` is written last, and what has none is removed.
#
#   --unpatched    stock PostgreSQL with the same flags, those of procarray.o
#                  included: the baseline
#   --assertions   with --enable-cassert, for tests
#   --exec-backend each backend started by exec, as on systems without fork
#   --faults       with the settings that break one rule of the protocol, or hold
#                  its windows open, for tests
#   --where        print the prefix only if it is built; else fail, build nothing
set -euo pipefail
# shellcheck source=patched-pg/build/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

variant=patched
assertions=no
exec_backend=no
faults=no
where=no
for argument in "$@"; do
    case "$argument" in
    --unpatched) variant=unpatched ;;
    --assertions) assertions=yes ;;
    --exec-backend) exec_backend=yes ;;
    --faults) faults=yes ;;
    --where) where=yes ;;
    -h | --help)
        sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    *)
        say "usage: build.sh [--unpatched] [--assertions] [--exec-backend] [--faults] [--where]"
        exit 2
        ;;
    esac
done
name=$variant
[[ $assertions == no ]] || name+=-assertions
[[ $exec_backend == no ]] || name+=-exec-backend
[[ $faults == no ]] || name+=-faults

umask 022
unset MAKEFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS
root=$(snapscope_root)

cflags="-O2 -g -fno-omit-frame-pointer"
[[ $exec_backend == no ]] || cflags+=" -DEXEC_BACKEND"
configure_flags=(--enable-debug --without-icu)
[[ $assertions == no ]] || configure_flags+=(--enable-cassert)
! perl -MIPC::Run -e1 2>/dev/null || configure_flags+=(--enable-tap-tests)

# --- what goes in, and the key over it --------------------------------------

# Every file of ours that takes part, by name, relative to the root.
our_files() {
    cd "$root"
    local roots=(patched-pg/build/build.sh)
    [[ ! -d patched-pg/extension ]] || roots+=(patched-pg/extension)
    if [[ $variant == patched ]]; then
        roots+=(probes/include)
        [[ ! -d patched-pg/patches ]] || roots+=(patched-pg/patches)
        [[ ! -d patched-pg/src ]] || roots+=(patched-pg/src)
    fi
    find "${roots[@]}" -type f ! -name '*.o' ! -name '*.so' ! -name '*.bc' | LC_ALL=C sort
}

source_sum=$("$root/patched-pg/build/fetch-source.sh" --sum)
key=$({
    printf '%s\n' "$source_sum"
    (cd "$root" && our_files | tr '\n' '\0' | xargs -0 sha256sum)
    printf '%s\n' "$cflags" "${configure_flags[@]}" "faults: $faults"
    gcc --version
} | sha256sum | cut -c1-16)

cache=$(snapscope_cache)/postgresql
home=$cache/$name-$key
prefix=$home/install
tree=$home/tree

finish() {
    touch "$home/complete" # also says when it was last used
    printf '%s\n' "$prefix"
    exit 0
}
[[ ! -e "$home/complete" ]] || finish
[[ $where == no ]] || die "PostgreSQL ($name) is not built; run patched-pg/build/build.sh${*:+ without --where}"

mkdir -p "$cache/logs"
hold_lock "$cache/.lock-$name-$key"
[[ ! -e "$home/complete" ]] || finish # somebody else built it while we waited

# --- the steps --------------------------------------------------------------

log=$cache/logs/$name-$key.log
: >"$log"

current_step=
exec {terminal}>&2
# step WORDS -- COMMAND...: runs it with its output in the log.  No `if` around
# the command: that would switch off `set -e` within it.
step() {
    local start=$SECONDS
    current_step=$1
    shift 2
    say "PostgreSQL ($name): $current_step"
    "$@" >>"$log" 2>&1
    ((SECONDS - start < 5)) || say "PostgreSQL ($name): took $((SECONDS - start)) s to $current_step"
    current_step=
}

on_exit() {
    local status=$?
    exec 2>&"$terminal" # a step that failed still has its output in the log
    [[ -e "$home/complete" ]] || rm -rf "$home"
    if ((status != 0 && status != 130)) && [[ -n "$current_step" ]]; then
        tail -n 25 "$log" | sed 's/^/  /' >&2
        say "error: PostgreSQL ($name): failed to $current_step; the whole log is $log"
    fi
}

unpack() {
    mkdir -p "$tree"
    tar --extract --file "$tarball" --directory "$tree" --strip-components=1 --no-same-owner --no-same-permissions
    local major
    major=$(sed -n "s/^PACKAGE_VERSION='\([0-9]*\).*/\1/p" "$tree/configure" 2>/dev/null) || major=none
    [[ "$major" == 12 || "$major" == 13 ]] ||
        { echo "the tarball holds no source of PostgreSQL 12 or 13 (major version: $major)" && return 1; }
}

# No fuzz: hunks with a line or two of context would fit anywhere.
apply_patches() {
    local file output failed=no
    shopt -s nullglob
    for file in "$root"/patched-pg/patches/*.patch; do
        if ! output=$(patch --directory="$tree" --strip=1 --forward --fuzz=0 --no-backup-if-mismatch --reject-file=- \
            --input="$file" 2>&1); then
            failed=yes
            printf '%s\n' "$output" | awk -v patch="${file##*/}" '
                /^patching file/ { target = $3 }
                /FAILED|ignored|malformed|find file/ { print "patch " patch ": " target ": " $0 }'
        fi
    done
    [[ $failed == no ]]
}

copy_our_files() {
    [[ ! -d "$root/patched-pg/src" ]] || cp -R "$root/patched-pg/src/." "$tree/src/"
    mkdir -p "$tree/src/include/snapscope"
    cp -R "$root/probes/include/snapscope/." "$tree/src/include/snapscope/"
    # In the header that all of it includes: the compiler's cache keeps the rest.
    [[ $faults == no ]] || sed -i '1i #define SNAPSCOPE_FAULTS 1' "$tree/src/include/storage/snapscope.h"
}

# Where the loops of procarray.c begin makes a third of the stock scan's speed:
# the patch aligns them, so the baseline does, too.
align_loops_as_patched() {
    echo 'procarray.o: CFLAGS += -falign-loops=64' >>"$tree/src/backend/storage/ipc/Makefile"
}

# The path of the tree stays out of the debug information and out of ccache's
# hash, so that the next build (another key, another path) finds its objects.
export CCACHE_NOHASHDIR=1 CCACHE_IGNOREOPTIONS='-fdebug-prefix-map=*'

configure_tree() {
    cd "$tree"
    ./configure --quiet --prefix="$prefix" CC="ccache gcc -fdebug-prefix-map=$tree=postgresql" CFLAGS="$cflags" \
        "${configure_flags[@]}"
}

make_tree() { make --directory="$tree/$1" --jobs="$(nproc)" --silent "${@:2}"; }

compile() {
    make_tree . all
    make_tree contrib/pageinspect all
    make_tree contrib/spi all # the regression tests load these
    make_tree src/test/isolation all
    make_tree src/test/regress all
}

install_tree() {
    make_tree . install
    make_tree contrib/pageinspect install
    make_tree src/test/isolation install
    make_tree src/test/regress install
}

# The extension's Makefile learns from SNAPSCOPE_PATCHED whether this server
# has the cached snapshot.
build_extension() {
    cp -R "$root/patched-pg/extension" "$home/extension"
    local patched=yes
    [[ $variant == patched ]] || patched=no
    make --directory="$home/extension" --silent USE_PGXS=1 PG_CONFIG="$prefix/bin/pg_config" \
        SNAPSCOPE_PATCHED="$patched" all install
}

# The suites write into the tree, and run under the servers' account.
hand_over_tree() {
    local user
    user=$(snapscope_server_user)
    [[ -n "$user" ]] || return 0
    chown --recursive "$user:" "$tree"
    as_server_user test -x "$prefix/bin/postgres" ||
        { echo "the account '$user' cannot reach $prefix; choose another SNAPSCOPE_CACHE" && return 1; }
}

# Builds that nobody asked for in two weeks.
prune() {
    find "$cache" -mindepth 2 -maxdepth 2 -name complete -mtime +14 -printf '%h\0' | xargs -0 --no-run-if-empty rm -rf
}

trap on_exit EXIT
trap 'exit 130' INT TERM HUP
rm -rf "$home" # what a killed build left
mkdir -p "$home"

tarball=$("$root/patched-pg/build/fetch-source.sh")
step "unpack ${tarball##*/}" -- unpack
if [[ $variant == patched ]]; then
    step "apply our patches" -- apply_patches
    step "copy our files" -- copy_our_files
else
    step "align the loops of procarray.c as the patch does" -- align_loops_as_patched
fi
step "configure" -- configure_tree
step "compile (a few minutes the first time)" -- compile
step "install" -- install_tree
[[ ! -d "$root/patched-pg/extension" ]] || step "build the extension" -- build_extension
step "hand over the test suites" -- hand_over_tree
prune
finish
