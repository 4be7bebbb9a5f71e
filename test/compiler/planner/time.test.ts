import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { engines } from "../../../compiler/engines/index.ts";
import { families } from "../../../compiler/models/index.ts";
import { size } from "../../../compiler/passes/size.ts";
import { unsplit, type Setting } from "../../../compiler/planner/setting.ts";
import { timeOf } from "../../../compiler/planner/time.ts";
import { cluster, device, modelRequest } from "../../support/pipeline.ts";

/** A row of the fixture, as far as it is read. */
interface Row {
  readonly model: { layers: number; hidden: number; heads: number; ffn: number; vocab: number; seq: number };
  readonly hardware: { gpu: string; mem_GB: number; gpus: number; nodes: number };
  readonly batch: { micro: number; global: number };
  readonly recompute: "full" | "none";
  readonly measured: { step_time_s: number };
}

const rows = readFileSync(join(import.meta.dirname, "../../fixtures/measured-sharded.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);

function predicted({ model: m, hardware, batch, recompute }: Row): number {
  const { model } = size(
    modelRequest("gpt2", {
      layers: m.layers,
      d_model: m.hidden,
      heads: m.heads,
      d_ff: m.ffn,
      vocab: m.vocab,
      context: m.seq,
    }),
  );
  if (model === null) throw new Error("a row does not build");
  const h100 = hardware.gpu.includes("H100");
  const setting: Setting = {
    family: families.gpt2,
    model,
    cluster: cluster({
      device: device(h100 ? "h100_sxm" : hardware.mem_GB === 40 ? "a100_40gb" : "a100_80gb"),
      nodes: hardware.nodes,
      gpusPerNode: hardware.gpus / hardware.nodes,
      link: h100 ? 450e9 : 300e9,
      network: h100 ? 400e9 : 200e9,
    }),
    engine: engines.deepspeed,
    precision: "bf16",
    attention: "sdpa",
    compile: false,
    tf32: true,
    sequence: m.seq,
    globalBatch: batch.global,
  };
  const accumulation = batch.global / (batch.micro * hardware.gpus);
  return timeOf(setting, {
    ...unsplit,
    micro_batch: batch.micro,
    accumulation,
    zero_stage: 3,
    recompute,
    offload: "none",
  }).step;
}

describe("the time of a step", () => {
  const errors = rows.map((row) => predicted(row) / row.measured.step_time_s - 1);
  const sizes = errors.map(Math.abs).sort((a, b) => a - b);

  it("comes within 15 % of four fifths of 122 published runs", () => {
    expect(rows.length).toBe(122);
    expect(sizes[Math.floor(0.8 * sizes.length)]).toBeLessThan(0.15);
  });

  it("errs on neither side", () => {
    expect(Math.abs(errors.reduce((sum, e) => sum + e, 0) / errors.length)).toBeLessThan(0.03);
  });

  it("orders runs as they were measured", () => {
    const pairs = rows.flatMap((a, i) => rows.slice(i + 1).map((b) => [a, b] as const));
    const agree = pairs.filter(
      ([a, b]) => predicted(a) < predicted(b) === a.measured.step_time_s < b.measured.step_time_s,
    );
    expect(agree.length / pairs.length).toBeGreaterThan(0.95);
  });
});
