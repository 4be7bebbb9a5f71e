#!/bin/sh
# Installs what the test clusters need, from Debian packages. Does nothing where all of it is there.
set -eu
PATH=$PATH:/usr/sbin:/sbin

missing=
need() { command -v "$1" >/dev/null || missing="$missing $2"; }
need slurmctld slurmctld
need slurmd slurmd
need sbatch slurm-client
need munged munge
# With accounts, for the tests that read `sacct`.
need slurmdbd slurmdbd
need mariadbd mariadb-server
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
  echo "install.sh: missing; as root on Debian or Ubuntu: apt-get install -y --no-install-recommends$missing" >&2
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
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing >&2
