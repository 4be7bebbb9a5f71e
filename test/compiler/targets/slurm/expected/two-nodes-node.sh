#!/bin/bash
# What srun starts on each node: node.sh ATTEMPT HOST:PORT RENDEZVOUS
set -u
attempt=$1
# Inherited by whatever has no handler of its own: Slurm signals every process of a step.
trap '' USR1
trap : TERM

directory='/project/runs/pretrain/4fd1c0de'
work='/project/runs/pretrain/4fd1c0de/slurm'
errors=$work/errors-a$attempt-n$SLURM_NODEID
failed() { # CODE
  local reason
  reason=$(grep -v '^$' "$errors" | tail -n 1 | cut -c1-400 | tr -d '\000-\037' | sed 's/^error: //; s/[\\"]/\\&/g')
  [ -n "$reason" ] || [ "$1" -le 128 ] || reason="ended by signal $(($1 - 128))"
  echo "$1 $SLURM_NODEID $SLURMD_NODENAME ${reason:-ended with $1}" >>"$work/failures-a$attempt"
  # srun kills the other nodes when this one ends: let them write down what they saw, and node 0 its result.
  for _ in $(seq 20); do
    [ "$(wc -l <"$work/failures-a$attempt")" -lt 2 ] || break
    sleep 0.5
  done
  exit "$1"
}

python=$(sh '/project/runs/.bundles/b1/trainer/provision.sh' 2>"$errors") || {
  cat "$errors" >&2
  failed 69
}
"$python" -m cdr_trainer.node --bundle '/project/runs/.bundles/b1' --program 'train' --config 'stages/pretrain/trainer.json' --run-dir "$directory" \
  --project '/project' --attempt "$attempt" --nodes 2 --node-rank "$SLURM_NODEID" --procs 8 \
  --endpoint "$2" --rendezvous "$3" \
  --input 'data=/project/runs/corpus/0badf00d@result' 2>"$errors"
code=$?
cat "$errors" >&2
case $code in
  0) exit 0 ;;
  80)
    # Not an error to srun, which would kill the nodes that still save.
    [ "$SLURM_NODEID" != 0 ] || : >"$work/saved-a$attempt"
    exit 0
    ;;
  *) failed "$code" ;;
esac
