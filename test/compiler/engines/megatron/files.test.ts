/** Files without which a Megatron launch starts nothing are looked for by the job. */
import { expect, it } from "vitest";
import { emitBundle } from "../../../../cli/bundle.ts";
import { compiledText } from "../../../../compiler/import/compiled.ts";

const filesOf = (raw: string): unknown => {
  const compiled = compiledText(`/// A stage with arguments of its own.
import "std/clusters" { dgx_h100 }

data corpus { from = "/data/text.jsonl", tokenizer = bytes }

model tiny { family = llama, layers = 12, d_model = 768, heads = 12, context = 1024 tokens }

stage pretrain {
  model      = tiny
  data       = corpus
  engine     = megatron
  length     = 100 steps
  batch      = 64 samples
  optimizer  = adamw(lr = 1e-4)
  checkpoint { every = 50 steps }
  resume     = never
  raw megatron { ${raw} }
}

cluster pod extends dgx_h100 { nodes = 1 }

launch here on pod { target = slurm(partition = "gpu") }
`);
  const { files } = emitBundle(compiled);
  const config = files.find(({ path, text }) => path.includes("pretrain") && text.includes('"script": "launch.sh"'));
  return (JSON.parse(config?.text ?? "{}") as { files?: unknown }).files;
};

const tracker = "latest_checkpointed_iteration.txt";

it("asks for the checkpoint that a run begins with, until it has one of its own", () => {
  expect(filesOf('pretrained_checkpoint = "/models/base"')).toEqual([
    { path: `/models/base/${tracker}`, because: "--pretrained-checkpoint", unless: `checkpoints/${tracker}` },
  ]);
});

it("asks for the checkpoint that a run must not be without", () => {
  expect(filesOf('load = "/models/base", exit_on_missing_checkpoint = true')).toEqual([
    { path: `/models/base/${tracker}`, because: "--load --exit-on-missing-checkpoint" },
  ]);
  expect(filesOf('load = "/models/base"')).toEqual([]);
});
