/** DeepSpeed configurations that the engine accepts, there and back: imported, checked, and lowered to a configuration that says the same. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { compiledText } from "../../../compiler/import/compiled.ts";
import { leftOutIn } from "../../../compiler/import/left-out.ts";
import { importLaunch } from "../../../compiler/import/import.ts";
import { loweredConfig } from "../../../compiler/import/trainer/import.ts";
import { changedKeys } from "../../../compiler/import/trainer/same-config.ts";

interface Row {
  readonly id: string;
  readonly config: string;
  readonly world: number;
}

const fixture = join(import.meta.dirname, "../../fixtures/launches/deepspeed.jsonl.gz");
const rows = gunzipSync(readFileSync(fixture))
  .toString("utf8")
  .split("\n")
  .map((line) => JSON.parse(line) as Row);

const imported = (text: string, world: number | null = null) =>
  importLaunch(
    [{ path: "ds.json", text }],
    { supplied: { world, gpusPerNode: null, gpu: null }, launch: null },
    () => undefined,
  );

/** A gradient clipped at -1, a batch with half a sample: accepted there, and no values here. */
const nonsense: ReadonlySet<string> = new Set(["cdr/value-range", "cdr/batch-divisibility", "cdr/layout-empty"]);

describe("configurations that DeepSpeed accepts", () => {
  const results = rows.map((row) => ({ row, made: imported(row.config, row.world) }));

  it("give a file each, without an error but for values that are none", () => {
    const wrong = results.flatMap(({ row, made }) =>
      made.problems
        .filter(({ severity, code }) => severity === "error" && !nonsense.has(code))
        .map(({ code, message }) => `${row.id} ${code} ${message}`),
    );
    expect(wrong).toEqual([]);
    const refused = results.filter(({ made }) => made.problems.some(({ severity }) => severity === "error"));
    expect(refused.length).toBeLessThanOrEqual(7);
  });

  it("say the same after they were lowered", () => {
    const untold = results.flatMap(({ row, made }) => {
      const told = new Set(leftOutIn(made.diagnostics));
      return made.changed.filter((path) => !told.has(path)).map((path) => `${row.id} ${path}`);
    });
    expect(untold).toEqual([]);
  });
});

it("tells a change of a value from another way to say it", () => {
  const said = (zero: Record<string, number | boolean>) => ({ train_batch_size: 8, zero_optimization: zero });
  expect(changedKeys(said({ stage: 2 }), said({ stage: 2, overlap_comm: false, reduce_bucket_size: 5e8 }))).toEqual(
    [],
  );
  expect(changedKeys(said({ stage: 2 }), said({ stage: 2, overlap_comm: true }))).toEqual([
    "zero_optimization.overlap_comm",
  ]);
  expect(changedKeys(said({ stage: 3 }), said({ stage: 3, overlap_comm: true }))).toEqual([]);
  expect(changedKeys(said({ stage: 3 }), said({ stage: 2 }))).toContain("zero_optimization.stage");
});

it("says which key it left out", () => {
  const made = imported('{"train_batch_size": 8, "zero_optimization": {"stage": 1}, "not_a_key": 3}', 8);
  expect(made.text).not.toContain("not_a_key");
  expect(made.diagnostics.map(({ message }) => message).join("\n")).toContain("not_a_key");
});

it.each([
  ["ranks that are told", '"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 2', 8, 16],
  [
    "ranks that follow",
    '"train_batch_size": 32, "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 2',
    null,
    32,
  ],
])("says shared sequences as a layout: %s", (_, sizes, world, batch) => {
  const made = imported(
    `{${sizes}, "sequence_parallel_size": 2, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}}`,
    world,
  );
  expect(made.text).toMatch(/context_parallel\s+= 2/);
  expect(made.changed).toEqual(leftOutIn(made.diagnostics));
  expect(loweredConfig(compiledText(made.text ?? ""))).toMatchObject({
    sequence_parallel_size: 2,
    train_batch_size: batch,
    gradient_accumulation_steps: 2,
  });
});

it.each([
  ['"train_batch_size": 8, "train_micro_batch_size_per_gpu": 4', 2],
  ['"train_batch_size": 32, "train_micro_batch_size_per_gpu": 32', 1],
  ['"train_batch_size": 96, "train_micro_batch_size_per_gpu": 4', 8],
])("takes no more ranks than have a micro-batch each: %s", (sizes, ranks) => {
  const { text } = imported(`{${sizes}, "bf16": {"enabled": true}, "zero_optimization": {"stage": 1}}`, null);
  const [stage] = compiledText(text ?? "").plan.stages;
  expect(stage?.layout.world).toBe(ranks);
});

it("keeps what the engine takes and the training program has no use for", () => {
  const idle =
    '"dataloader_drop_last": true, "autotuning": {"enabled": true}, "activation_checkpointing": {"number_checkpoints": 4}';
  const made = imported(
    `{"train_batch_size": 8, "bf16": {"enabled": true}, "zero_optimization": {"stage": 1}, ${idle}}`,
    8,
  );
  expect(made.changed).toEqual([]);
  expect(made.diagnostics.filter(({ code }) => code === "cdr/import-left-out")).toEqual([]);
  expect(loweredConfig(compiledText(made.text ?? ""))).toMatchObject(JSON.parse(`{${idle}}`) as object);
  expect(made.problems.map(({ severity, code }) => [severity, code])).toContainEqual([
    "warning",
    "cdr/engine-raw-unused",
  ]);
});

it("fills in what the Trainer would", () => {
  const made = importLaunch(
    [
      {
        path: "ds.json",
        text: '{"zero_optimization": {"stage": 3}, "train_batch_size": "auto", "bf16": {"enabled": "auto"}, "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "gradient_clipping": "auto"}',
      },
      {
        path: "run.sh",
        text: "#!/bin/bash\ntorchrun --nproc_per_node 8 run_clm.py --deepspeed ds.json --per_device_train_batch_size 4 --gradient_accumulation_steps 2 --bf16 --learning_rate 2e-5 --max_steps 1000 --warmup_ratio 0.03 --lr_scheduler_type cosine --output_dir out\n",
      },
    ],
    { supplied: { world: null, gpusPerNode: null, gpu: null }, launch: null },
    () => undefined,
  );
  const lowered = loweredConfig(compiledText(made.text ?? ""));
  expect(lowered).toMatchObject({ train_batch_size: 64, bf16: { enabled: true }, gradient_clipping: 1 });
  expect(made.text).toContain("schedule  = cosine(warmup = 3%)");
});

it.each([
  ["Muon", '"lr": 0.02, "momentum": 0.9', "lr = 0.02", true],
  ["Lion", '"lr": 1e-5', "lr = 1e-5", true],
  ["Muon", '"lr": 0.02, "momentum": 0.9, "adam_lr": 3e-4', "lr = 3e-4", false],
  ["OneBitAdam", '"lr": 3e-4', "lr = 3e-4", false],
])("marks the rate of %s (%s) where it is not one of AdamW's", (type, params, rate, marked) => {
  const made = imported(
    `{"train_batch_size": 8, "bf16": {"enabled": true}, "zero_optimization": {"stage": 1}, "optimizer": {"type": "${type}", "params": {${params}}}}`,
    8,
  );
  const line = made.text?.split("\n").find((each) => each.includes("adamw(")) ?? "";
  expect(line).toContain(rate);
  expect(line.includes(`// guessed: the rate: ${type} had it`)).toBe(marked);
  const left = made.diagnostics.filter(({ code }) => code === "cdr/import-left-out").map(({ message }) => message);
  expect(left.join().includes("momentum")).toBe(params.includes("momentum"));
});
