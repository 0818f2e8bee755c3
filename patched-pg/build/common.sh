# shellcheck shell=bash
# Shared by the build scripts of PostgreSQL and by ./dev: messages, the cache
# folder, and the account that servers run under.  Sourced, never run.

say() { printf '%s\n' "$*" >&2; }

die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# The folder of this repository.
snapscope_root() { cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd; }

# Everything that is downloaded or built once lives here, outside the checkout.
snapscope_cache() {
    if [[ -n "${SNAPSCOPE_CACHE:-}" ]]; then
        printf '%s\n' "$SNAPSCOPE_CACHE"
    elif ((EUID == 0)); then
        printf '%s\n' /var/cache/snapscope
    else
        printf '%s\n' "${XDG_CACHE_HOME:-$HOME/.cache}/snapscope"
    fi
}

# PostgreSQL refuses to run as root: servers that root starts run under this
# account.  Empty for everybody else, whose servers are their own.
snapscope_server_user() {
    ((EUID == 0)) || return 0
    local account
    for account in ${SNAPSCOPE_SERVER_USER:+"$SNAPSCOPE_SERVER_USER"} postgres nobody; do
        if getent passwd "$account" >/dev/null; then
            printf '%s\n' "$account"
            return 0
        fi
        [[ "$account" != "${SNAPSCOPE_SERVER_USER:-}" ]] ||
            die "there is no account '$account' (SNAPSCOPE_SERVER_USER)"
    done
    die "no account to run servers under; name one in SNAPSCOPE_SERVER_USER"
}

# Runs a command as the servers' account.
as_server_user() {
    local user
    user=$(snapscope_server_user)
    if [[ -n "$user" ]]; then
        setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups --reset-env -- "$@"
    else
        "$@"
    fi
}

# Holds the lock FILE until this shell ends; says so when it has to wait.
hold_lock() {
    local fd
    exec {fd}>"$1"
    flock --nonblock "$fd" && return 0
    say "waiting for another build ($1)"
    flock "$fd"
}
