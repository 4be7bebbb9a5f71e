#!/bin/bash
# Ends the cluster of slurm-up.sh DIR: its jobs, what they left, its daemons, and the folder.
set -uo pipefail
PATH=$PATH:/usr/sbin:/sbin
[ -d "$1" ] || exit 0
dir=$(realpath "$1")
export SLURM_CONF=$dir/etc/slurm.conf
[ -e "$dir/pids" ] || exit 0

members() { # step daemons and processes of jobs: their environment names this cluster
  local environment
  for environment in /proc/[0-9]*/environ; do
    tr '\0' '\n' 2>/dev/null <"$environment" | grep -qxF "SLURM_CONF=$SLURM_CONF" || continue
    [ "$(cat "${environment%/environ}/comm" 2>/dev/null)" = slurmstepd ] ||
      tr '\0' '\n' 2>/dev/null <"$environment" | grep -q '^SLURM_JOB_ID=' || continue
    basename "${environment%/environ}"
  done
}
named() { # daemon: its process ids, as slurm-up wrote them down, while they are still the same
  local pid name
  while read -r pid name; do
    case $name in "$1" | "$1"-*) tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | grep -qxF "SLURM_CONF=$SLURM_CONF" && echo "$pid" ;; esac
  done <"$dir/pids"
}
gone() {
  local pid
  for pid in "$@"; do kill -0 "$pid" 2>/dev/null && return 1; done
  return 0
}

jobs=$(timeout 5 squeue -h -o %A 2>/dev/null | sort -u)
# shellcheck disable=SC2086
if [ -n "$jobs" ]; then
  timeout 5 scancel --signal=KILL --full $jobs 2>/dev/null
  timeout 5 scancel $jobs 2>/dev/null
  for _ in $(seq 30); do
    [ -n "$(timeout 2 squeue -h 2>/dev/null)" ] || break
    sleep 0.1
  done
fi
for daemon in slurmd slurmctld slurmdbd mariadbd munged; do
  read -r -a pids <<<"$(named "$daemon" | tr '\n' ' ')"
  [ "${#pids[@]}" -gt 0 ] || continue
  kill -TERM "${pids[@]}" 2>/dev/null
  for _ in $(seq 50); do
    gone "${pids[@]}" && break
    sleep 0.1
  done
  kill -KILL "${pids[@]}" 2>/dev/null
done
# Step daemons outlive slurmd, and jobs outlive step daemons.
for pid in $(members); do kill -KILL "$pid" 2>/dev/null; done
rm -rf "$dir"
