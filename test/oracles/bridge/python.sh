#!/bin/sh
# Prints an interpreter that has Megatron Bridge beside what the real Megatron needs; makes it once. Ends with 69 where there is none.
#   CDR_BRIDGE_PYTHON  an interpreter that has it already
#   CDR_HOME           where environments are kept (default: ~/.cache/cdr)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ -n "${CDR_BRIDGE_PYTHON:-}" ]; then
  printf '%s\n' "$CDR_BRIDGE_PYTHON"
  exit 0
fi

base=$(sh "$here/../megatron/python.sh")
environment=${CDR_HOME:-$HOME/.cache/cdr}/bridge/$(cksum <"$here/requirements.txt" | cut -d' ' -f1)
if [ ! -e "$environment/ready" ]; then
  rm -rf "$environment"
  "$base" -m venv "$environment" >&2
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -r "$here/requirements.txt" >&2
  # Torch and its libraries are those of the real Megatron; packages of the same name here come first.
  site=$("$environment/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  "$base" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$site/megatron.pth"
  : >"$environment/ready"
fi
printf '%s\n' "$environment/bin/python"
