#!/bin/sh
# Makes the Python environment of the lock file beside this script, once, and prints its interpreter's path.
#   CDR_HOME    where environments are kept (default: ~/.cache/cdr)
#   CDR_PYTHON  an interpreter that has the packages already: used as it is
# Words go to stderr, the path to stdout. Safe to run at the same time from several places.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
lock=$here/requirements.lock

say() { printf 'python: %s\n' "$*" >&2; }

if [ -n "${CDR_PYTHON:-}" ]; then
  if ! command -v "$CDR_PYTHON" >/dev/null 2>&1; then
    say "CDR_PYTHON is $CDR_PYTHON, and there is no such program. Correct it, or unset it: then an environment is made."
    exit 69
  fi
  printf '%s\n' "$CDR_PYTHON"
  exit 0
fi

digest() { if command -v sha256sum >/dev/null 2>&1; then sha256sum; else shasum -a 256; fi <"$1" | cut -c1-16; }

home=${CDR_HOME:-$HOME/.cache/cdr}/python
environment=$home/$(digest "$lock")
if [ -e "$environment/ready" ]; then
  printf '%s\n' "$environment/bin/python"
  exit 0
fi

base=
for name in python3.13 python3.12 python3.11 python3 python3.14 python3.10; do
  if command -v "$name" >/dev/null 2>&1 && "$name" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null; then
    base=$(command -v "$name")
    break
  fi
done
if [ -z "$base" ]; then
  say "no Python from 3.10 to 3.14 was found on PATH. Install one (Debian: apt install python3 python3-venv), or set CDR_PYTHON to an interpreter that has the packages of $lock."
  exit 69
fi

mkdir -p "$home"
# One maker at a time, on this machine and on those that share the folder. A maker that died leaves its claim behind: on its own
# machine its process is gone, and seen from others its claim is no longer touched.
claim=$environment.lock
host=$(uname -n)
abandoned() {
  [ -z "$(find "$claim" -prune -mmin +5 2>/dev/null)" ] || return 0
  read -r owner where 2>/dev/null <"$claim/owner" || return 1
  [ "$where" = "$host" ] && ! kill -0 "$owner" 2>/dev/null
}
failures=0
until mkdir "$claim" 2>/dev/null; do
  if abandoned; then
    rm -rf "$claim"
  elif [ -d "$claim" ]; then
    sleep 1
  elif [ "$failures" -lt 5 ]; then
    failures=$((failures + 1))
    sleep 1
  else
    say "$claim cannot be made. Set CDR_HOME to a folder that can be written and has space."
    exit 69
  fi
done
echo "$$ $host" >"$claim/owner"
# `-c`: what was given back is not made again.
while kill -0 $$ 2>/dev/null && touch -c "$claim"; do sleep 20; done >/dev/null 2>&1 </dev/null &
beat=$!
trap 'kill "$beat" 2>/dev/null; rm -rf "$claim"' EXIT
trap 'exit 130' INT TERM
# Another one made it while this one waited.
if [ -e "$environment/ready" ]; then
  printf '%s\n' "$environment/bin/python"
  exit 0
fi

say "making $environment with $base (once for this lock file; about 5 GB)"
rm -rf "$environment"
if command -v uv >/dev/null 2>&1; then
  uv venv --quiet --python "$base" "$environment" >&2
  uv pip sync --python "$environment/bin/python" --require-hashes "$lock" >&2
else
  "$base" -m venv "$environment" >&2 || {
    say "$base cannot make a virtual environment (Debian: apt install python3-venv)."
    exit 69
  }
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$here/requirements-uv.lock" >&2
  "$environment/bin/python" -m uv pip sync --python "$environment/bin/python" --require-hashes "$lock" >&2
fi
: >"$environment/ready"
say "ready"
printf '%s\n' "$environment/bin/python"
