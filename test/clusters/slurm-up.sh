#!/bin/bash
# A Slurm cluster of its own in DIR, for tests: munge, slurmctld, two slurmd with names that resolve in their jobs.
#   slurm-up.sh DIR     prints DIR/etc/slurm.conf; slurm-down.sh DIR ends it
#   NODES=2 CPUS=4 GPUS=4   per node (the GPUs are /dev/null); DBD=1 adds MariaDB and slurmdbd, so that sacct works
#   JOB_AGE=3600            seconds that the controller remembers a job that has ended
#   KILL_WAIT=2             seconds between SIGTERM and SIGKILL; GRACE=n adds a partition `urgent` that preempts the jobs of
#                           the other: those get SIGTERM, n seconds to end, and go back to the queue
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin
: "${NODES:=2}" "${CPUS:=4}" "${GPUS:=4}" "${DBD:=0}" "${JOB_AGE:=3600}" "${KILL_WAIT:=2}" "${GRACE:=}"

missing=()
need() { command -v "$1" >/dev/null || missing+=("$2"); }
need slurmctld slurmctld
need slurmd slurmd
need sbatch slurm-client
need munged munge
if [ "$DBD" = 1 ]; then
  need slurmdbd slurmdbd
  need mariadbd mariadb-server
fi
if [ "${#missing[@]}" -gt 0 ]; then
  echo "slurm-up: missing: ${missing[*]}; install with: $(dirname "$0")/install.sh" >&2
  exit 69
fi
[ "$(id -u)" = 0 ] || { echo "slurm-up: needs root (private mount namespaces)" >&2; exit 69; }

mkdir -p "$1"
dir=$(realpath "$1")
case $dir in *[[:space:]]*) echo "slurm-up: no white space in DIR" >&2; exit 64 ;; esac
chmod 755 "$dir"
mkdir -p "$dir"/{munge,log,state,dev,etc}
conf=$dir/etc/slurm.conf
user=$(id -un)

# Two clusters may start at once: one chooses its ports while the other waits, until its daemons hold them.
exec 9<"$0"
flock 9

start() { # name command...
  local name=$1
  shift
  # The environment of every daemon names the cluster, which is how slurm-down finds what they leave behind.
  SLURM_CONF=$conf setsid "$@" </dev/null >"$dir/log/$name.out" 2>&1 9<&- &
  echo "$! $name" >>"$dir/pids"
}
until_true() { # tries command...
  local tries=$1
  shift
  for _ in $(seq "$tries"); do
    "$@" && return
    sleep 0.1
  done
  return 1
}
free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
ports_free() {
  base=$((10000 + RANDOM % 900 * 10))
  local port
  for port in $(seq "$base" $((base + 3 + NODES))); do free "$port" || return 1; done
}
until_true 50 ports_free

head -c 1024 /dev/urandom >"$dir/munge/key"
chmod 600 "$dir/munge/key"
socket=$dir/munge/socket
start munged munged --foreground --force --key-file="$dir/munge/key" --socket="$socket" --num-threads=2 \
  --pid-file="$dir/munge/pid" --seed-file="$dir/munge/seed" --log-file="$dir/log/munged.log"

accounting="AccountingStorageType=accounting_storage/none"
if [ "$DBD" = 1 ]; then
  accounting="AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$((base + 1))
AccountingStoragePass=$socket"
fi

# cred_expire: a requeued job is held back for two minutes otherwise. FirstJobId: jobs of two clusters get other ports.
cat >"$conf" <<CONF
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$base
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$socket,cred_expire=5
CredType=cred/munge
FirstJobId=$((base % 10000))
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool-%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd-%n.log
SlurmctldDebug=info
SlurmdDebug=info
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=5
$accounting
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
GresTypes=gpu
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=1,bf_interval=5,sched_min_interval=0,sched_max_job_start=0
MinJobAge=$JOB_AGE
KillWait=$KILL_WAIT
InactiveLimit=0
SlurmctldTimeout=30
SlurmdTimeout=60
MessageTimeout=10
PlugStackConfig=$dir/etc/plugstack.conf
CONF
: >"$dir/etc/plugstack.conf"
: >"$dir/etc/gres.conf"
cp /etc/hosts "$dir/etc/hosts"
for gpu in $(seq 0 $((GPUS - 1))); do ln -sfn /dev/null "$dir/dev/gpu$gpu"; done
for node in $(seq "$NODES"); do
  echo "NodeName=n$node NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$((base + 3 + node)) CPUs=$CPUS RealMemory=8000 Gres=gpu:$GPUS" >>"$conf"
  if [ "$GPUS" -gt 0 ]; then echo "NodeName=n$node Name=gpu File=$dir/dev/gpu[0-$((GPUS - 1))]" >>"$dir/etc/gres.conf"; fi
  echo "127.0.0.1 n$node" >>"$dir/etc/hosts"
  mkdir -p "$dir/spool-n$node"
done
if [ -n "$GRACE" ]; then
  printf '%s\n' PreemptType=preempt/partition_prio PreemptMode=REQUEUE PreemptExemptTime=0 >>"$conf"
  echo "PartitionName=urgent Nodes=ALL DefaultTime=10 PriorityTier=9 PreemptMode=OFF State=UP" >>"$conf"
fi
echo "PartitionName=main Nodes=ALL Default=YES DefaultTime=10 MaxTime=INFINITE PriorityTier=1 State=UP${GRACE:+ GraceTime=$GRACE}" >>"$conf"
export SLURM_CONF=$conf
until_true 100 test -S "$socket"

if [ "$DBD" = 1 ]; then
  owner=mysql
  mkdir -p "$dir/db"
  chown "$owner" "$dir/db"
  mysql_install_db --no-defaults --user="$owner" --datadir="$dir/db" --auth-root-authentication-method=normal \
    --skip-test-db >"$dir/log/mysql_install_db.out" 2>&1
  start mariadbd mariadbd --no-defaults --user="$owner" --datadir="$dir/db" --socket="$dir/db/socket" \
    --pid-file="$dir/db/pid" --bind-address=127.0.0.1 --port=$((base + 2)) --innodb-buffer-pool-size=64M --innodb-lock-wait-timeout=900
  database() {
    mariadb --no-defaults -S "$dir/db/socket" -u root 2>/dev/null <<SQL
create database if not exists slurm_acct_db;
create or replace user slurm@'127.0.0.1' identified by 'x';
create or replace user slurm@localhost identified by 'x';
grant all on slurm_acct_db.* to slurm@'127.0.0.1';
grant all on slurm_acct_db.* to slurm@localhost;
SQL
  }
  until_true 200 database
  (umask 077 && cat >"$dir/etc/slurmdbd.conf") <<CONF
AuthType=auth/munge
AuthInfo=socket=$socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=$((base + 1))
SlurmUser=$user
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=$((base + 2))
StorageUser=slurm
StoragePass=x
StorageLoc=slurm_acct_db
PidFile=$dir/slurmdbd.pid
LogFile=$dir/log/slurmdbd.log
CONF
  start slurmdbd slurmdbd -D
  # sacctmgr waits without end for a daemon that does not answer.
  cluster_known() { timeout 5 sacctmgr -i add cluster test >/dev/null 2>&1; }
  until_true 100 cluster_known
  timeout 5 sacctmgr -i add account default Cluster=test >/dev/null
  timeout 5 sacctmgr -i add user "$user" Account=default >/dev/null
fi

start slurmctld slurmctld -D
for node in $(seq "$NODES"); do
  # shellcheck disable=SC2016
  start "slurmd-n$node" unshare -m sh -c 'mount --bind "$1" /etc/hosts && exec slurmd -D -N "$2"' sh "$dir/etc/hosts" "n$node"
done
idle() { [ "$(sinfo -h -N -o '%N %T' 2>/dev/null | sort -u | grep -c idle)" = "$NODES" ]; }
until_true 300 idle || { echo "slurm-up: the nodes did not become idle" >&2; sinfo -N >&2 || :; exit 1; }
echo "$conf"
