/** Options of sbatch: what it takes and what it refuses, as it does itself (test/integration/slurm-options.test.ts). */
import { describe, expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";
import { slurmTimeOf } from "../../../compiler/foreign/slurm/time.ts";
import { refusedDirectives, takenDirectives, withDirective } from "../../support/slurm-values.ts";

const codes = /^cdr\/slurm-(?:value|argument|option)$/;
const told = (text: string) => toldOf({ "job.sbatch": text }).filter(({ code }) => codes.test(code));

it.each(takenDirectives)("takes %s", (directive) => {
  expect(told(withDirective(directive)).map(({ message }) => message)).toEqual([]);
});

it.each(refusedDirectives)("refuses %s", (directive) => {
  expect(told(withDirective(directive)).length).toBeGreaterThan(0);
});

describe("a fix", () => {
  it.each([
    ["--time=24h", "--time=24:00:00"],
    ["--time=2d12h", "--time=2-12:00:00"],
    ["-t 90m", "-t 01:30:00"],
    ["--mem=64Gi", "--mem=64G"],
    ["--mem=1.5T", "--mem=1536G"],
    ["--gres=gpu:4:a100", "--gres=gpu:a100:4"],
    ["--gres=gpu=4", "--gres=gpu:4"],
    ["--gpus-per-node=gpu:a100:4", "--gpus-per-node=a100:4"],
    ["--signal=USR1@5m", "--signal=USR1@300"],
    ["--array=1..10", "--array=1-10"],
    ["--cpus_per_task=4", "--cpus-per-task=4"],
    ["--requeue=1", "--requeue"],
    ["--gpu-per-node=4", "--gpus-per-node=4"],
  ])("of %s writes %s", (wrong, right) => {
    const text = withDirective(wrong);
    const edits = told(text)[0]?.fixes[0]?.edits ?? [];
    expect(edits).toHaveLength(1);
    const [{ span, newText }] = edits as [(typeof edits)[0]];
    const mended = text.slice(0, span.start) + newText + text.slice(span.end);
    expect(mended).toBe(withDirective(right));
    expect(told(mended)).toEqual([]);
  });
});

it("reads times as people write them, and none that it cannot tell", () => {
  const times = ["24h", "1 day", "36 hours", "1h30m", "45s", "1.5h", "24:00:00h", "soon", "12 parsecs", ""];
  expect(times.map(slurmTimeOf)).toEqual([
    "24:00:00",
    "24:00:00",
    "1-12:00:00",
    "01:30:00",
    "00:00:45",
    "01:30:00",
    "24:00:00",
    null,
    null,
    null,
  ]);
});

it.each([
  "--container-image=nvcr.io#nvidia/pytorch:25.01-py3 --container-mounts /a:/b",
  "--time={{ time }}",
  "--tres-per-task=gres/gpu:1",
  "--gres=gpu:a100_3g.20gb:1,nvme:100G",
  "--gpus-per-node=3g.20gb:2",
  "--nodes=1,5,9-13",
  "--somebodys-plugin=x",
  "hetjob",
  "--comment='two words' # and more",
])("is silent on %s", (directive) => {
  expect(told(withDirective(directive))).toEqual([]);
});

it("reads the options of a step and of sbatch on a command line too", () => {
  const text = "#!/bin/bash\n#SBATCH --nodes=1\nsrun --time=2h python train.py\n";
  expect(told(text).map(({ message }) => message)).toEqual([expect.stringContaining("srun refuses --time 2h")]);
  const submit = toldOf({ "submit.sh": "#!/bin/bash\nsbatch --time=24h --gres gpu=8 job.sbatch\n" });
  expect(submit.filter(({ code }) => code === "cdr/slurm-value")).toHaveLength(2);
});
