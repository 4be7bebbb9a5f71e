#!/bin/sh
# Prints the interpreter of an environment that has the requirements beside this script; makes it once.
#   CDR_MEGATRON_PYTHON  an interpreter that has them already
#   CDR_HOME             where environments are kept (default: ~/.cache/cdr)
# Megatron wants Python 3.12 or newer: where none is found, says so and ends with 69.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ -n "${CDR_MEGATRON_PYTHON:-}" ]; then
  printf '%s\n' "$CDR_MEGATRON_PYTHON"
  exit 0
fi

lock=$here/requirements.lock
environment=${CDR_HOME:-$HOME/.cache/cdr}/megatron/$(cksum <"$lock" | cut -d' ' -f1)
if [ -e "$environment/ready" ]; then
  printf '%s\n' "$environment/bin/python"
  exit 0
fi

base=
for name in python3.12 python3.13 "$HOME"/.pyenv/versions/3.12.*/bin/python "$HOME"/.pyenv/versions/3.13.*/bin/python python3; do
  if command -v "$name" >/dev/null 2>&1 && "$name" -c 'import sys; sys.exit(not (3, 12) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
    base=$name
    break
  fi
done
if [ -z "$base" ]; then
  echo "no Python 3.12 or 3.13 was found: the real Megatron is not asked" >&2
  exit 69
fi

# One maker at a time: the tests that ask run side by side.
mkdir -p "${environment%/*}"
if command -v flock >/dev/null 2>&1; then
  exec 9>"$environment.lock"
  flock 9
fi
if [ ! -e "$environment/ready" ]; then
  rm -rf "$environment"
  "$base" -m venv "$environment" >&2
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock" >&2
  : >"$environment/ready"
fi
printf '%s\n' "$environment/bin/python"
