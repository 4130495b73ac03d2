#!/usr/bin/env bash
# Builds the pages into web/dist, when one of their sources is newer than the last build.
set -euo pipefail
# shellcheck source=tools/env.sh
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

stamp="$ROOT/web/dist/.assize-stamp"
[ -f "$ROOT/web/package.json" ] || die "web/package.json is missing"
sources=("$ROOT/web" "$ROOT/docs/api")
if [ -f "$stamp" ]; then
    changed=$(find "${sources[@]}" \
        \( -name node_modules -o -path "$ROOT/web/dist" -o -path "$ROOT/web/src/api/schema.d.ts" \) \
        -prune -o -newer "$stamp" -print -quit)
    if [ -z "$changed" ]; then
        exit 0
    fi
fi
run npm run --prefix "$ROOT/web" --silent build
touch "$stamp"
