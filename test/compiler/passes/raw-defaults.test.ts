/** A raw block against what the stage leaves to the language, and against what it writes. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import type { StageStep } from "../../../compiler/pipeline.ts";
import { alone } from "../../support/alone.ts";

function compiled(stage: string) {
  const text = `import "std/clusters" { dgx_h100 }
data web { from = "hf://Skylion007/openwebtext", tokenizer = tiktoken("gpt2") }
model small { family = llama, layers = 12, d_model = 768, heads = 12, d_ff = 2048, vocab = 50304, context = 1024 tokens }
stage pre {
  model = small, data = web, length = 1000 steps, batch = 512 samples
  ${stage.split("\n").join("\n  ")}
}
cluster pod extends dgx_h100 { nodes = 1 }
launch hpc on pod { target = slurm(partition = "gpu", time = 36 h) }
`;
  const { diagnostics, pipeline } = compile({ path: "run.cdr", text }, alone);
  const step = pipeline?.steps.find((each): each is StageStep => each.kind === "stage");
  const conflicts = diagnostics.flatMap(({ code, message }) =>
    code === "cdr/engine-raw-conflict" ? [/^\S+/.exec(message)?.[0] ?? ""] : [],
  );
  return { step, conflicts, errors: diagnostics.filter(({ severity }) => severity === "error") };
}

const rawMegatron = `raw megatron {
  log_interval = 10, save_interval = 200, seed = 7, clip_grad = 0.5, fp16 = true, adam_beta2 = 0.98, adam_eps = 1e-6
  weight_decay = 0.05, lr_warmup_iters = 50, min_lr = 6e-5
}`;

it("Megatron's own words stand in the place of every default", () => {
  const { step, errors } = compiled(
    `engine = megatron, optimizer = adamw(lr = 6e-4), schedule = cosine, checkpoint { keep = [last(2)] }\n${rawMegatron}`,
  );
  expect(errors).toEqual([]);
  expect(step).toMatchObject({
    log: { every: { unit: "steps", value: 10 } },
    checkpoint: { every: { unit: "steps", value: 200 } },
    seed: 7,
    clip: 0.5,
    precision: { value: "fp16" },
    optimizer: { betas: [0.9, 0.98], eps: 1e-6, weightDecay: 0.05 },
    schedule: { warmup: { unit: "steps", value: 50 } },
  });
  expect(step?.schedule.to).toBeCloseTo(0.1);
});

it("and contradict what is written, though it is what the default would be", () => {
  const { conflicts } = compiled(
    `engine = megatron, optimizer = adamw(lr = 6e-4, betas = [0.9, 0.95], eps = 1e-8, weight_decay = 0.1)
schedule = cosine(warmup = 0 steps, to = 0%), seed = 42, clip = 1.0, precision = bf16
log { every = 1 step }, checkpoint { every = 1000 steps }
${rawMegatron}`,
  );
  const said = ["log_interval", "save_interval", "seed", "clip_grad", "fp16", "adam_beta2", "adam_eps"];
  expect(conflicts.toSorted()).toEqual([...said, "weight_decay", "lr_warmup_iters", "min_lr"].toSorted());
});

it("muon and sgd have words of their own", () => {
  const muon = compiled(
    "engine = megatron, optimizer = muon(lr = 0.02, others = adam(embeddings = 0.3, head = 3e-3, scalars = 0.01))\nraw megatron { muon_momentum = 0.9, muon_nesterov = false, muon_num_ns_steps = 6, adam_eps = 1e-6 }",
  );
  expect(muon.conflicts).toEqual([]);
  expect(muon.step?.optimizer).toMatchObject({
    momentum: 0.9,
    eps: 1e-6,
    muon: { nesterov: false, iterations: 6 },
  });
  const written = compiled(
    "engine = megatron, optimizer = muon(lr = 0.02, others = adam(embeddings = 0.3, head = 3e-3, scalars = 0.01), momentum = 0.95, nesterov = true, iterations = 5)\nraw megatron { muon_momentum = 0.9, muon_nesterov = false, muon_num_ns_steps = 6 }",
  );
  expect(written.conflicts.toSorted()).toEqual(["muon_momentum", "muon_nesterov", "muon_num_ns_steps"]);
  const sgd = compiled("engine = megatron, optimizer = sgd(lr = 0.1)\nraw megatron { sgd_momentum = 0.5 }");
  expect(sgd.conflicts).toEqual([]);
  expect(sgd.step?.optimizer.momentum).toBe(0.5);
});

const adamw = "optimizer = adamw(lr = 6e-4)";

it.each([
  ["fp16 { enabled = true }", "fp16"],
  ["bf16 { enabled = false }", "fp32"],
  ["bfloat16 { enabled = true }", "bf16"],
])("DeepSpeed's %s is the precision where none is written", (raw, precision) => {
  const { step, conflicts } = compiled(
    `engine = deepspeed, ${adamw}\nraw deepspeed { gradient_clipping = 0.5, ${raw} }`,
  );
  expect(conflicts).toEqual([]);
  expect(step).toMatchObject({ clip: 0.5, precision: { value: precision } });
  const other = precision === "bf16" ? "fp16" : "bf16";
  const written = compiled(
    `engine = deepspeed, precision = ${other}, clip = 1.0, ${adamw}\nraw deepspeed { gradient_clipping = 0.5, ${raw} }`,
  );
  expect(written.conflicts.toSorted()).toEqual([`${raw.split(" ")[0]}.enabled`, "gradient_clipping"].toSorted());
});

it("words of an engine that the stage does not take change nothing", () => {
  const { step } = compiled(`engine = torch, ${adamw}\nraw megatron { seed = 7 }`);
  expect(step?.seed).toBe(42);
});

it("a key in a record of a raw block is told where it stands", () => {
  const { errors } = compiled(
    "engine = deepspeed, optimizer = adamw(lr = 6e-4)\nraw deepspeed {\n  zero_optimization = {\n    reduce_scatter = true\n    overlap_com = true\n  }\n}",
  );
  expect(errors.map(({ code, span }) => [code, span.source.text.slice(span.start, span.end)])).toEqual([
    ["cdr/engine-raw-unknown", "overlap_com"],
  ]);
});
