/** Nodes that a script starts one after the other never meet; what goes on behind, or is started elsewhere, does. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const told = (text: string): number =>
  toldOf({ "run.sh": text }).filter(({ code }) => code === "cdr/launcher-one-after-other").length;

const start = (rank: string, more = ""): string =>
  `torchrun --nnodes 2 --nproc_per_node 8 --node_rank ${rank} --master_addr w0 ${more}train.py`;
const job = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\n";
const loop = (body: string): string => `for i in 0 1; do\n  ${body}\ndone\n`;

it.each([
  ["ssh", loop(`ssh w$i ${start("$i")}`)],
  ["ssh with a quoted command", loop(`ssh w$i "cd /code; ${start("$i")} > log.$i 2>&1"`)],
  ["srun", `${job}${loop(`srun --nodes=1 --ntasks=1 -w w$i ${start("$i")}`)}`],
  ["srun, of an unknown address", `${job}${loop(`srun -N1 -n1 ${start("$i").replace("w0", "$(hostname)")}`)}`],
  ["lines", `ssh w0 ${start("0")}\nssh w1 ${start("1")}\n`],
  ["accelerate", loop(`ssh w$i accelerate launch --num_machines 2 --num_processes 16 --machine_rank $i train.py`)],
  ["ranks in the environment", loop("RANK=$i WORLD_SIZE=2 MASTER_ADDR=w0 python train.py")],
])("%s: told once", (_, text) => {
  expect(told(text)).toBe(1);
});

it.each([
  ["behind", `${loop(`ssh w$i ${start("$i")} &`)}wait\n`],
  ["behind, with a log", `${loop(`srun -N1 -n1 ${start("$i")} > log.$i 2>&1 &`)}wait\n`],
  ["behind, within the quotes", loop(`ssh w$i "nohup ${start("$i")} > log 2>&1 &"`)],
  ["behind, a shell of its own", `${loop(`(ssh w$i ${start("$i")}) &`)}wait\n`],
  ["ssh that goes behind", loop(`ssh -f w$i ${start("$i")}`)],
  ["a session of tmux", loop(`tmux new-session -d -s n$i "${start("$i")}"`)],
  ["a job each", loop(`sbatch --wrap "${start("$i")}"`)],
  ["one node is enough", loop(`ssh w$i ${start("$i").replace("--nnodes 2", "--nnodes 1:2")}`)],
  ["one launch after another", loop(`${start("0", "--master_port 2950$i ")}`)],
  ["the last in front", `ssh w1 ${start("1")} &\n${start("0")}\n`],
])("%s: silent", (_, text) => {
  expect(told(text)).toBe(0);
});
