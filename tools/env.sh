#!/usr/bin/env bash
# Sourced by everything in script/: where the checkout is, which tools are used, how steps are shown.
set -euo pipefail
shopt -s inherit_errexit

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
export ROOT
TOOLS="$ROOT/.tools"

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
    if ! run meson setup ${again[@]+"${again[@]}"} "$folder" "$ROOT" "$@" > "$folder/setup.log" 2>&1
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
