/** The example workflow finds the files of a repository that `check` can judge, and no others. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "js-yaml";
import { expect, it } from "vitest";
import { cdrc } from "../../support/cdrc.ts";

interface Workflow {
  readonly jobs: { readonly check: { readonly steps: readonly { readonly run?: string }[] } };
}

const files = {
  "acc.yaml": "distributed_type: DEEPSPEED\nnum_processes: 8\n",
  "axolotl.yml": "base_model: m\nsequence_len: 4096\n",
  "batch.sbatch": "#SBATCH -N 2\n",
  "ds.json": '{"zero_optimization": {"stage": 2}}\n',
  "job.slurm": "export A=1\ntorchrun train.py\n",
  "job.yaml": "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n",
  "module.sh": "python -m accelerate.commands.launch train.py\n",
  "old.sh": "python -m torch.distributed.launch train.py\n",
  "sft.yaml": "stage: sft\nfinetuning_type: lora\n",
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
  const command = workflow.jobs.check.steps.map(({ run }) => /^\.cdr\/bin\/cdrc (.+)/.exec(run ?? "")?.[1]);
  const words = command.find((each) => each !== undefined)?.split(" ") ?? [];
  expect(words).toContain("github");
  const folder = mkdtempSync(join(tmpdir(), "cdr-workflow-"));
  try {
    // The workflow checks out cdr itself beside what it checks.
    mkdirSync(join(folder, ".cdr"));
    const texts = { ...files, ...others, "run.cdr": "let a = 1\n", ".cdr/other.sh": "torchrun train.py\n" };
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
    const { out } = cdrc([...words.filter((word) => word !== "--format" && word !== "github"), "--json"], {
      cwd: folder,
    });
    const { folders } = JSON.parse(out) as {
      folders: { cdr: string[]; launches: { files: string[] }[]; passed: Record<string, string[]> }[];
    };
    expect(folders[0]?.launches.map(({ files: [first] }) => first).toSorted()).toEqual(Object.keys(files));
    expect(folders[0]?.cdr).toEqual(["run.cdr"]);
    expect(Object.values(folders[0]?.passed ?? {}).flat()).toEqual(expect.arrayContaining(Object.keys(others)));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
