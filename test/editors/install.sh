#!/bin/sh
# Installs the editor that the tests drive, from Debian packages. Does nothing where it is there.
set -eu
command -v nvim >/dev/null && exit 0
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
  echo "install.sh: missing; as root on Debian or Ubuntu: apt-get install -y --no-install-recommends neovim" >&2
  exit 69
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends neovim >&2
