#!/bin/sh
# Makes the Python environment of the lock file beside this script, once, and prints its interpreter's path.
#   CDR_HOME    where environments are kept (default: ~/.cache/cdr)
#   CDR_PYTHON  an interpreter that has the packages already: used as it is
# Words go to stderr, the path to stdout. Safe to run at the same time from several places.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
lock=$here/requirements.lock

if [ -n "${CDR_PYTHON:-}" ]; then
  printf '%s\n' "$CDR_PYTHON"
  exit 0
fi

say() { printf 'python: %s\n' "$*" >&2; }
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
# One maker at a time. A maker that died leaves its process id behind, and the next one takes over.
claim=$environment.lock
while ! mkdir "$claim" 2>/dev/null; do
  [ -e "$environment/ready" ] && break
  owner=$(cat "$claim/pid" 2>/dev/null || echo)
  if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then rm -rf "$claim"; else sleep 1; fi
done
if [ -e "$environment/ready" ]; then
  rm -rf "$claim"
  printf '%s\n' "$environment/bin/python"
  exit 0
fi
echo $$ >"$claim/pid"
trap 'rm -rf "$claim"' EXIT
trap 'exit 130' INT TERM

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
