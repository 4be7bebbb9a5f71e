/** The example workflow finds the files of a repository that `check` can judge, and no others. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "js-yaml";
import { expect, it } from "vitest";

interface Workflow {
  readonly jobs: { readonly check: { readonly steps: readonly { readonly run?: string }[] } };
}

const files = {
  "job.slurm": "export A=1\ntorchrun train.py\n",
  "module.sh": "python -m accelerate.commands.launch train.py\n",
  "old.sh": "python -m torch.distributed.launch train.py\n",
  "batch.sbatch": "#SBATCH -N 2\n",
  "acc.yaml": "distributed_type: DEEPSPEED\n",
  "axolotl.yml": "base_model: m\nsequence_len: 4096\n",
  "sft.yaml": "stage: sft\nfinetuning_type: lora\n",
  "job.yaml": "apiVersion: v1\nkind: PyTorchJob\n",
  "ds.json": '{"zero_optimization": {"stage": 2}}\n',
  "run.cdr": "model m {}\n",
};
const others = {
  "build.sh": "make\n",
  "ci.yml": "on: push\n",
  "package.json": "{}\n",
  "merge.yaml": "base_model: m\n",
};

it("finds what can be judged", () => {
  const workflow = load(
    readFileSync(join(import.meta.dirname, "../../../docs/foreign-workflow.yml"), "utf8"),
  ) as Workflow;
  const searches = workflow.jobs.check.steps.flatMap(({ run }) =>
    run !== undefined && /^git (?:grep|ls-files) -\w*z/.test(run) ? [run.replace(/\s*\|\s*xargs[^]*$/, "")] : [],
  );
  const folder = mkdtempSync(join(tmpdir(), "cdr-workflow-"));
  try {
    for (const [name, text] of Object.entries({ ...files, ...others })) writeFileSync(join(folder, name), text);
    execFileSync("git", ["init", "-q"], { cwd: folder });
    execFileSync("git", ["add", "-A"], { cwd: folder });
    const found = searches.flatMap((search) =>
      execFileSync("bash", ["-c", search], { cwd: folder, encoding: "utf8" }).split("\0").filter(Boolean),
    );
    expect(found.toSorted()).toEqual(Object.keys(files).toSorted());
  } finally {
    rmSync(folder, { recursive: true });
  }
});
