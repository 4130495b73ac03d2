#!/usr/bin/env bash
# Sourced by everything in script/: where the checkout is, which tools are used, how steps are shown.
set -euo pipefail
shopt -s inherit_errexit

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
export ROOT
TOOLS="$ROOT/.tools"

# A root that came by plain `su` lacks what apt and useradd need.
case ":$PATH:" in *:/usr/sbin:*) ;; *) PATH="$PATH:/usr/sbin:/sbin" ;; esac

# Node from script/bootstrap goes before the system's.
if [ -x "$TOOLS/bin/node" ]; then
    PATH="$TOOLS/bin:$PATH"
    export PATH
fi
# That Node has its own list of authorities; the system's may hold one more, as of a school's proxy.
if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
    export NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}"
fi

# Shows a step, then runs it.
run() {
    printf '+ %s\n' "$(printf '%q ' "$@")" >&2
    "$@"
}

say() {
    printf '==> %s\n' "$*" >&2
}

die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Asks for sudo once, saying what for ($1): the steps after it find it open. A long installation does
# not let it close: a loop that ends with the script, or by close_sudo, keeps it open meanwhile.
SUDO_KEEPER=${SUDO_KEEPER:-}
open_sudo() {
    [ -z "${SUDO_IS_OPEN:-}" ] || return 0
    say "sudo is asked for once: $1"
    sudo true || die "sudo was refused: be given the right to use it, or run this as root"
    export SUDO_IS_OPEN=yes
    (
        nap=
        trap 'kill "$nap"; exit 0' TERM
        while :; do
            sleep 120 &
            nap=$!
            wait "$nap"
            sudo -n true || exit 0
        done
    ) < /dev/null > /dev/null 2>&1 &
    SUDO_KEEPER=$!
    trap close_sudo EXIT
}

close_sudo() {
    if [ -n "$SUDO_KEEPER" ]; then
        kill "$SUDO_KEEPER" 2>/dev/null || true
        SUDO_KEEPER=
    fi
}

# Fails where an earlier build was another user's, as after `sudo script/test`.
need_own_files() {
    local foreign
    foreign=$(find "$ROOT/build" "$ROOT/build/src" "$ROOT/web/dist" "$ROOT/web/node_modules" \
        -maxdepth 1 ! -type l ! -writable -print -quit 2>/dev/null) || true # some may be absent
    [ -z "$foreign" ] || die "$foreign was built by another user, and $(id -un) cannot replace it:
    sudo chown -R $(id -un) $ROOT"
}

# What stands between the first line and the first line that is no comment: the script's help.
print_help() {
    awk 'NR == 1 { next } /^#/ { sub(/^# ?/, ""); print; next } { exit }' "$1"
}

# Succeeds when `node --version` says what the web build works with: ^20.19 or >= 22.12.
node_fits() {
    local version major minor
    version=${1#v}
    major=${version%%.*}
    minor=${version#*.}
    minor=${minor%%.*}
    case "$major$minor" in '' | *[!0-9]*) return 1 ;; esac
    if [ "$major" -eq 20 ]; then
        [ "$minor" -ge 19 ]
    elif [ "$major" -eq 22 ]; then
        [ "$minor" -ge 12 ]
    else
        [ "$major" -gt 22 ]
    fi
}

# The build folder $1, set up with the other arguments, and set up again when a test or a source
# list was added or removed: meson finds the unit tests by looking, once.
configure() {
    local folder=$1 list again=()
    shift
    list=$(cd "$ROOT" && find src tests -name '*.c' -o -name meson.build | LC_ALL=C sort)
    if [ -f "$folder/build.ninja" ]; then
        [ "$list" != "$(cat "$folder/.assize-files" 2>/dev/null)" ] || return 0
        again=(--reconfigure)
    fi
    mkdir -p "$folder"
    # It links a test in a tenth of the processor time, and there are hundreds.
    if command -v mold > /dev/null; then
        export CC_LD=${CC_LD:-mold}
    fi
    say "setting up ${folder#"$ROOT"/}"
    if ! meson setup ${again[@]+"${again[@]}"} "$folder" "$ROOT" "$@" > "$folder/setup.log" 2>&1
    then
        tail -n 20 "$folder/setup.log" >&2
        die "meson could not set up $folder; all of it: $folder/setup.log"
    fi
    printf '%s\n' "$list" > "$folder/.assize-files"
    ln -sfn src/main/assize "$folder/assize" # where people look for it
}

# Our C files that differ from the last commit, or all of them when $1 is yes.
our_c_files() {
    {
        if [ "$1" = yes ]; then
            git -C "$ROOT" ls-files --cached --others --exclude-standard -- src tests
        else
            git -C "$ROOT" diff --name-only --diff-filter=d HEAD -- src tests
            git -C "$ROOT" ls-files --others --exclude-standard -- src tests
        fi
    } | grep '\.[ch]$' | grep -v '^tests/fixtures/' | LC_ALL=C sort -u || true
}
