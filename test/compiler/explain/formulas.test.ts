/** Every part of an estimate can be recomputed from the figures that `cdrc explain` shows beside it. */
import { expect, it } from "vitest";
import { at } from "../../../compiler/explain/plan-terms.ts";
import { compileText } from "../../support/probes.ts";

const cases: readonly [name: string, model: string, stage: string, nodes: number][] = [
  ["Megatron, tensor parallel", "llama3_1_8b", "engine = megatron", 2],
  [
    "Megatron, a pipeline",
    "llama3_1_8b",
    "engine = megatron, layout { pipeline_parallel = 4, tensor_parallel = 2 }",
    2,
  ],
  ["Megatron, experts", "mixtral_8x7b", "engine = megatron", 4],
  [
    "Megatron, all recomputed",
    "llama3_1_8b",
    "engine = megatron, layout { recompute = full, context_parallel = 2 }",
    2,
  ],
  ["DeepSpeed, sharded", "llama2_7b", "engine = deepspeed, layout { zero_stage = 3 }", 2],
  ["DeepSpeed, offloaded", "llama2_7b", "engine = deepspeed, layout { offload = optimizer, zero_stage = 2 }", 2],
  ["FSDP", "llama3_1_8b", "engine = torch, layout { zero_stage = 3 }", 2],
  ["FSDP, gradients sharded", "pythia_1b", "engine = torch, layout { zero_stage = 2 }", 2],
  ["one copy each", "pythia_1b", "engine = torch, layout { zero_stage = 0 }", 2],
  [
    "adapters on four bits",
    "llama3_1_8b",
    "engine = torch, adapters = lora(rank = 16, alpha = 32, targets = [all], quantized = true)",
    2,
  ],
  ["Muon", "pythia_1b", "engine = deepspeed, optimizer = muon(lr = 1e-3, others = adamw(lr = 3e-4))", 2],
];

/** What is left of a formula without its words. */
function computed(rule: string): number {
  const formula = rule.split(": ").at(-1) ?? "";
  const figures = formula
    .replaceAll(/\(fitted\)/g, "")
    .replaceAll(/(?<![\d.])[A-Za-z][\w/',-]*/g, "")
    .replaceAll("_", "");
  if (!/^[\d\s.e()*/+-]+$/.test(figures)) throw new Error(`no formula: ${rule}`);
  return new Function(`return ${figures}`)() as number;
}

it.each(cases)("%s", (_, model, stage, nodes) => {
  const optimizer = stage.includes("optimizer = muon") ? "" : "optimizer = adamw(lr = 3e-4)";
  const { plan, diagnostics } = compileText(`import "std/clusters" { dgx_h100 }
import "std/models" { ${model} }
data web { from = "x.jsonl", tokenizer = bytes, tokens = 10B tokens }
model m extends ${model} {}
cluster pod extends dgx_h100 { nodes = ${nodes} }
stage s { model = m, data = web, context = 2048 tokens, length = 1B tokens, batch = 256 samples, ${optimizer}
  ${stage} }
launch hpc on pod { target = slurm() }
`);
  const [planned] = plan.stages;
  if (planned === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const parts = Object.entries(planned.origins).filter(([path]) => /^(memory|time)\.parts\./.test(path));
  expect(parts.length).toBeGreaterThan(9);
  for (const [path, origin] of parts) {
    const value = at(planned, path) as number;
    const made = computed(origin.kind === "derived" ? origin.rule : "");
    expect(Math.abs(made - value), `${path} = ${value}, ${made}`).toBeLessThanOrEqual(1e-3 * value + 1);
  }
});
