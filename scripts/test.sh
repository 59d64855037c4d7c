#!/bin/sh
# `npm test`: installs what the tests need, then runs checks and tests. Works on a fresh clone.
set -u
cd "$(dirname "$0")/.." || exit 1
root=.
program=$root/dist/pohunek
. scripts/prepare.sh

lock
if ! is_installed || [ ! -d node_modules/typescript ]; then
  printf 'pohunek: installing dependencies (npm ci) ...' >&2
  install_dependencies with-tools
  printf ' done\n' >&2
fi
find_bun
unlock
exec "$bun" scripts/test.ts "$@"
