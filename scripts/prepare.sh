# Sourced by ./pohunek when the program must be made: `prepare` installs the dependencies and builds, one process at a
# time, telling on one line of stderr what it does. Expects root, program and is_fresh.

fail() {
  printf 'pohunek: %s\n' "$1" >&2
  exit 1
}

# Waits until no other start of this checkout is installing or building. flock ends with the process; where it is
# missing (macOS) a folder with the owner's process id does the same.
lock() {
  mkdir -p "$root/dist" || fail "cannot create $root/dist"
  if command -v flock >/dev/null 2>&1; then
    exec 9>"$root/dist/.lock" || fail "cannot write $root/dist/.lock"
    flock -n 9 && return
    printf 'pohunek: another start is installing or building, waiting for it\n' >&2
    flock 9
    return
  fi
  folder=$root/dist/.lock.d
  said=
  until mkdir "$folder" 2>/dev/null; do
    owner=$(cat "$folder/pid" 2>/dev/null)
    if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then
      rm -rf "$folder"
      continue
    fi
    [ -n "$said" ] || printf 'pohunek: another start is installing or building, waiting for it\n' >&2
    said=yes
    sleep 1
  done
  echo $$ >"$folder/pid"
  trap 'rm -rf "$folder"' EXIT
  trap 'exit 130' INT TERM HUP
}

unlock() {
  if command -v flock >/dev/null 2>&1; then
    exec 9>&-
  else
    rm -rf "$folder"
    trap - EXIT INT TERM HUP
  fi
}

# The copy of the lockfile is made after a successful install; npm's own record serves an install made by hand.
is_installed() {
  copy=$root/node_modules/.pohunek-lock.json
  if [ -f "$copy" ]; then
    cmp -s "$copy" "$root/package-lock.json"
  else
    [ "$root/node_modules/.package-lock.json" -nt "$root/package-lock.json" ]
  fi
}

# Runs a step with its output in a log; on failure shows the end of the log with the exit code, and $next_step.
next_step="Run it again; it begins where it stopped."
run_step() {
  step=$1
  shift
  "$@" >"$root/dist/.prepare.log" 2>&1 && return
  code=$?
  printf ' failed\npohunek: %s failed with exit code %s:\n' "$step" "$code" >&2
  tail -n 25 "$root/dist/.prepare.log" >&2
  printf '  next: %s\n' "$next_step" >&2
  exit 1
}

# install_dependencies [with-tools]
install_dependencies() {
  command -v npm >/dev/null 2>&1 || {
    printf '\n' >&2
    fail "npm is not installed. Debian and Ubuntu: apt-get install npm. Fedora: dnf install npm. macOS: brew install node."
  }
  # Starting the program needs neither the checkers nor the tests' tools; a checkout that has them keeps them.
  omit=--omit=dev
  if [ "${1-}" = with-tools ] || [ -d "$root/node_modules/typescript" ]; then omit=; fi
  if [ -z "$omit" ] && [ "$(node -p 'parseInt(process.versions.node)')" -lt 22 ]; then
    tools_node="--require $(cd "$root" && pwd)/scripts/tools-node.cjs"
  else
    tools_node=
  fi
  rm -f "$root/node_modules/.pohunek-lock.json"
  next_step="Check the network, the proxy (npm config get proxy) and the free space, then run it again."
  run_step "npm ci" env NODE_OPTIONS="${NODE_OPTIONS-} $tools_node" npm --prefix "$root" ci $omit --no-audit --no-fund --loglevel=error
  cp "$root/package-lock.json" "$root/node_modules/.pohunek-lock.json"
}

# npm can be told to run no install scripts; bun's own puts its program in place, so it is run here if it was not.
find_bun() {
  bun=$root/node_modules/bun/bin/bun.exe
  "$bun" --revision >/dev/null 2>&1 && return
  next_step="Check the network and the free space, then run it again."
  run_step "putting bun in place" sh -c 'cd "$1" && exec node install.js' sh "$root/node_modules/bun"
}

prepare() {
  lock
  if ! is_fresh; then
    printf 'pohunek:' >&2
    if ! is_installed; then
      printf ' installing dependencies (npm ci) ...' >&2
      install_dependencies
    fi
    printf ' building ...' >&2
    find_bun
    next_step="Run it again; if it fails the same way: rm -r $root/node_modules, and run it again."
    run_step "the build" "$bun" "$root/scripts/build.ts"
    printf ' ready\n' >&2
  fi
  unlock
}
