#!/bin/sh
# Installs the editor and the browser that the tests drive, from Debian packages. Does nothing where they are there.
set -eu
packages=""
command -v nvim >/dev/null || packages="neovim"
command -v chromium >/dev/null || command -v google-chrome >/dev/null || packages="$packages chromium"
[ -n "$packages" ] || exit 0
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
  echo "install.sh: missing; as root on Debian or Ubuntu: apt-get install -y --no-install-recommends $packages" >&2
  exit 69
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $packages >&2
