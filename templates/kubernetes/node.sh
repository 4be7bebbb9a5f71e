#!/usr/bin/env bash
# What a pod of a step runs, in the working directory of its image, which is the folder that sources are relative to.
#   node.sh STEP ROOT PROGRAM CONFIG NODES PROCESSES [NAME ROOT STEP WHICH]...
#   CDR_RANK_IN     the variable in which the controller numbers the pods; CDR_RANK_FROM is the number of the first of them
#   CDR_HEAD        HOST:PORT of the first pod (default: MASTER_ADDR and MASTER_PORT)
#   CDR_READY       seconds to wait for the first pod
#   CDR_PYTHON      an interpreter of the image that has the packages (default: one is made, once for each pod)
set -euo pipefail

# A ConfigMap has no folders: in its keys, `..` stands for each slash.
bundle=$(mktemp -d)
for file in "$(dirname "${BASH_SOURCE[0]}")"/*; do
  path=$bundle/$(basename "$file" | sed 's,\.\.,/,g')
  mkdir -p "$(dirname "$path")"
  cp "$file" "$path"
done
project=$PWD
name=$1 root=$2 program=$3 config=$4 nodes=$5 processes=$6
shift 6

stop() { printf 'error: %s\n' "$*" >&2; exit 69; }

python=$(sh "$bundle/trainer/provision.sh")
export PYTHONPATH="$bundle/trainer${PYTHONPATH:+:$PYTHONPATH}"
export PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
ids=$("$python" -m cdr_trainer.identity --bundle "$bundle" --project "$project")

# run_directory ROOT STEP: where `cdrc run` has it as well
run_directory() {
  local step id
  while read -r step id; do [[ $step != "$2" ]] || break; done <<<"$ids"
  case $1 in
    /*) printf '%s/%s/%s' "$1" "$2" "$id" ;;
    *) printf '%s/%s/%s/%s' "$project" "$1" "$2" "$id" ;;
  esac
}

rank=0
where=()
if [[ $nodes != 1 ]]; then
  rank=$((${!CDR_RANK_IN:?} + ${CDR_RANK_FROM:-0}))
  head=${CDR_HEAD:-${MASTER_ADDR:-}:${MASTER_PORT:-}}
  where=(--endpoint "$head" --rendezvous "$name")
  until [[ $rank == 0 ]] || "$python" -c 'import socket, sys; socket.gethostbyname(sys.argv[1])' "${head%:*}" 2>/dev/null; do
    ((SECONDS < ${CDR_READY:-1800})) || stop "${head%:*} has no address after $SECONDS s: the first pod did not start"
    sleep 2
  done
fi

directory=$(run_directory "$root" "$name")
# The first pod writes how an attempt ended.
attempt=0
while [[ -e $directory/exit/a$attempt.json ]]; do
  if grep -q '"state": *"done"' "$directory/exit/a$attempt.json"; then
    printf '%s: done before, see %s\n' "$name" "$directory" >&2
    exit 0
  fi
  attempt=$((attempt + 1))
done

inputs=()
while (($#)); do
  inputs+=(--input "$1=$(run_directory "$2" "$3")@$4")
  shift 4
done

# The agent takes the place of this shell: it is the process that Kubernetes asks to end.
exec "$python" -m cdr_trainer.node --bundle "$bundle" --program "$program" --config "$config" --run-dir "$directory" \
  --project "$project" --attempt "$attempt" --nodes "$nodes" --node-rank "$rank" --procs "$processes" \
  ${where[@]+"${where[@]}"} ${inputs[@]+"${inputs[@]}"}
