/** Hostfiles that a script makes of the nodes of its job. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const hosts = 'scontrol show hostnames "$SLURM_JOB_NODELIST"';

const ranks = (lines: string): string | undefined =>
  toldOf({
    "job.sbatch": `#!/bin/bash\n#SBATCH --nodes=2 --gpus-per-node=8\n${lines}\ndeepspeed --hostfile hosts train.py --deepspeed_config ds.json\n`,
    "ds.json":
      '{"train_batch_size": 24, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 1, "zero_optimization": {"stage": 2}}',
  })
    .filter(({ code }) => code === "cdr/deepspeed-batch-product")
    .map(({ message }) => /(\d+) ranks/.exec(message)?.[1])[0];

it.each([
  [`${hosts} | awk '{print $1" slots=8"}' > hosts`, "16"],
  [`G=4\n${hosts} | sed "s/$/ slots=$G/" > hosts`, "8"],
  [`# slots=4\nfor node in $(${hosts}); do echo "$node slots=8" >> hosts; done`, "16"],
  [`for node in $(${hosts}); do echo "$node slots=$SLOTS" >> hosts; done`, undefined],
  [`G=4\nfor node in $(${hosts}); do echo "$node slots=$G" >> hosts; done`, "8"],
  [`for node in $(${hosts}); do echo "$node slots=\${G:-4}"; done > hosts`, "8"],
  [`G=4\n${hosts} | while read -r node; do echo "$node slots=$G" >> hosts; done`, "8"],
  [`G=4\nwhile read -r node; do echo "$node slots=$G"; done < <(${hosts}) > hosts`, "8"],
  [`G=4\nmapfile -t N < <(${hosts})\nfor n in "\${N[@]}"; do printf '%s slots=%d\\n' "$n" $G >> hosts; done`, "8"],
  [`G=4\nfor i in 0 1; do echo "node$i slots=$G"; done > hosts`, "8"],
  [`for node in $(${hosts}); do echo "$node slots=$((RANDOM % 8))" >> hosts; done`, undefined],
  [`${hosts} | awk '{print $1" slots="ENVIRON["N"]}' > hosts`, undefined],
  [`python make_hosts.py slots=8 > hosts`, undefined],
])("%s", (lines, expected) => {
  expect(ranks(lines)).toBe(expected);
});
