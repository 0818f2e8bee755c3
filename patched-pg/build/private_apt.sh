# shellcheck shell=bash
# An apt with a state of its own: what it fetches is checked with Debian's
# keyring, and the machine's configuration is only asked for its mirror, which is
# written nowhere else.  Sourced after common.sh, never run.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# open_private_apt FOLDER TYPE SUITE [OTHERWISE]: TYPE is deb or deb-src; without
# a mirror, dies and says what to do OTHERWISE.
open_private_apt() {
    apt_state=$1
    local archives mirror
    [[ -r "$keyring" ]] || die "Debian's keyring is missing; install debian-archive-keyring"
    # The main archive among the places that apt is configured with.
    # shellcheck disable=SC2016 # apt's own placeholders
    archives=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        sed -n 's/^Debian|Debian|//p')
    mirror=${archives%%$'\n'*}
    [[ -n "$mirror" ]] || die "apt knows no Debian archive yet; run 'apt-get update' as root once${4:+, or $4}"
    mkdir -p "$apt_state"/{lists/partial,archives/partial,etc/apt.conf.d,etc/preferences.d,download}
    : >"$apt_state/status"
    printf '%s [signed-by=%s check-valid-until=no] %s %s main\n' "$2" "$keyring" "$mirror" "$3" \
        >"$apt_state/etc/sources.list"
}

# private_apt ARGUMENTS...: apt-get in FOLDER/download.  A failure is told without
# addresses, which do not belong into what people paste into reports.
private_apt() {
    (cd "$apt_state/download" && apt-get --quiet --yes \
        -o Dir::Etc::SourceList="$apt_state/etc/sources.list" \
        -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::Etc::Preferences=/dev/null \
        -o Dir::Etc::PreferencesParts="$apt_state/etc/preferences.d" \
        -o Dir::State="$apt_state" \
        -o Dir::State::Lists="$apt_state/lists" \
        -o Dir::State::status="$apt_state/status" \
        -o Dir::Cache="$apt_state" \
        -o Dir::Cache::Archives="$apt_state/archives" \
        -o APT::Sandbox::User=root \
        -o APT::Update::Error-Mode=any \
        -o Acquire::Languages=none \
        "$@") >"$apt_state/log" 2>&1 && return 0
    sed -E 's#[a-z+]+://[^ ]*#(the archive)#g; s/^/  /' "$apt_state/log" | tail -n 12 >&2
    return 1
}
