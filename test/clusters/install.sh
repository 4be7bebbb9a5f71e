#!/bin/bash
# Installs what the test clusters need, from Debian packages. Does nothing where all of it is there.
#   install.sh [--accounting]   with slurmdbd and MariaDB, for the tests that read `sacct`
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin

programs=(slurmctld:slurmctld slurmd:slurmd sbatch:slurm-client munged:munge)
if [ "${1:-}" = --accounting ]; then programs+=(slurmdbd:slurmdbd mariadbd:mariadb-server mariadb:mariadb-client); fi

missing=()
for pair in "${programs[@]}"; do
  command -v "${pair%%:*}" >/dev/null || missing+=("${pair#*:}")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
  echo "install.sh: ${missing[*]} missing; as root on Debian or Ubuntu: apt-get install -y --no-install-recommends ${missing[*]}" >&2
  exit 69
fi
export DEBIAN_FRONTEND=noninteractive
# Packages must not start system services: the tests bring up clusters of their own.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
  trap 'rm -f "$policy"' EXIT
fi
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
