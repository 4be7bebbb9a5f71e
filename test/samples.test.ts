/** What pages show of `cdrc check` of a launch is what it says, to the letter. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkForeign } from "../compiler/foreign/check.ts";
import { renderDiagnostic } from "../dsl/diagnostics/render.ts";
import { noPaint } from "../runtime/view/paint.ts";

const root = join(import.meta.dirname, "..");

/** The script that the pages show lines of. */
const script = (nodes: number): string =>
  [
    "#!/bin/bash",
    "export CUDA_DEVICE_MAX_CONNECTIONS=1",
    "",
    `torchrun --nproc-per-node 8 --nnodes ${nodes} --rdzv-backend c10d --rdzv-endpoint node0:29500 pretrain_gpt.py \\`,
    "  --tensor-model-parallel-size 8 --pipeline-model-parallel-size 3 \\",
    "  --num-layers 32 --hidden-size 4096 --num-attention-heads 32 \\",
    "  --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 128 \\",
    "  --lr 3e-4 --train-iters 1000 --bf16 --mock-data --tokenizer-type NullTokenizer --vocab-size 32000",
    "",
  ].join("\n");

it.each([
  ["README.md", 4],
  ["docs/foreign.md", 3],
])("%s", (page, nodes) => {
  const [, shown = ""] = /^```\n(train\.sh:[\s\S]*?)^```/m.exec(readFileSync(join(root, page), "utf8")) ?? [];
  const { diagnostics } = checkForeign(
    [{ path: "train.sh", text: script(nodes) }],
    { world: null, gpusPerNode: null, gpu: "h100" },
    () => undefined,
  );
  const said = diagnostics.map((each) => renderDiagnostic(each, noPaint));
  expect(said.filter((each) => shown.startsWith(each))).toHaveLength(1);
});
