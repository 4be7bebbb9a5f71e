/** `cdrc plan` from a snapshot. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { planCommand } from "../commands/plan.ts";
import { snapshotOf } from "./start.ts";

/** A search over pipelines, experts and what an engine shards, so that its bytecode is there. */
const example = `import "std/clusters" { dgx_h100 }
model mixture {
  family = qwen3_moe
  layers = 12
  d_model = 2048
  heads = 16
  kv_heads = 4
  vocab = 32_000
  context = 4096 tokens
  moe { experts = 16, top_k = 2, d_ff = 1024 }
}
data corpus { from = "corpus.txt", tokenizer = bytes }
cluster pod extends dgx_h100 { nodes = 2 }
stage pretrain {
  model = mixture
  data = corpus
  engine = megatron
  length = 1000 steps
  batch = 64 samples
  optimizer = adamw(lr = 1e-4)
}
launch here on pod { target = slurm }
`;

snapshotOf(planCommand(), () => {
  const folder = mkdtempSync(join(tmpdir(), "cdr-snapshot-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "example.cdr");
  writeFileSync(file, example);
  return [["plan", file]];
});
