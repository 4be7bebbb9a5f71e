/** What a layout asks and an engine cannot do is an error that says so, for every ability and every engine; what it can do is not. */
import { describe, expect, it } from "vitest";
import { engines } from "../../../compiler/engines/index.ts";
import { layout } from "../../../compiler/kinds/stage/layout.ts";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { EngineName, Scalar, StageStep } from "../../../compiler/pipeline.ts";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { cluster, given, modelRequest, pipeline, settings, stage } from "../../support/pipeline.ts";

const shape = { layers: 8, d_model: 1024, heads: 16, kv_heads: 16, context: 1024 };
const dense = modelRequest("llama", shape);
const mixture = modelRequest("mixtral", { ...shape, "moe.experts": 8, "moe.top_k": 2 });

interface Ability {
  readonly name: string;
  readonly pins: Readonly<Record<string, Scalar>>;
  readonly engines: readonly EngineName[];
  readonly model?: typeof dense;
}

const all: readonly EngineName[] = ["torch", "deepspeed", "megatron"];
const trainer: readonly EngineName[] = ["torch", "deepspeed"];
const abilities: readonly Ability[] = [
  { name: "replicas", pins: { zero_stage: 0 }, engines: all },
  { name: "sharded optimizer states", pins: { zero_stage: 1 }, engines: ["deepspeed", "megatron"] },
  { name: "sharded gradients", pins: { zero_stage: 2 }, engines: trainer },
  { name: "sharded weights", pins: { zero_stage: 3 }, engines: trainer },
  { name: "whole recomputation", pins: { recompute: "full" }, engines: all },
  { name: "selective recomputation", pins: { recompute: "selective" }, engines: ["megatron"] },
  { name: "offloaded optimizer", pins: { zero_stage: 2, offload: "optimizer" }, engines: ["deepspeed"] },
  { name: "offloaded weights", pins: { zero_stage: 3, offload: "all" }, engines: ["deepspeed"] },
  { name: "tensor parallelism", pins: { tensor_parallel: 2 }, engines: ["megatron"] },
  {
    name: "sequence parallelism",
    pins: { tensor_parallel: 2, sequence_parallel: true },
    engines: ["megatron"],
  },
  { name: "pipeline parallelism", pins: { pipeline_parallel: 2 }, engines: ["deepspeed", "megatron"] },
  {
    name: "interleaved pipelines",
    pins: { pipeline_parallel: 2, virtual_pipeline: 2, micro_batch: 1 },
    engines: ["megatron"],
  },
  { name: "context parallelism", pins: { context_parallel: 2 }, engines: ["deepspeed", "megatron"] },
  { name: "expert parallelism", pins: { expert_parallel: 2 }, engines: ["deepspeed", "megatron"], model: mixture },
  {
    name: "expert tensor parallelism",
    pins: { expert_tensor_parallel: 2 },
    engines: ["megatron"],
    model: mixture,
  },
];

function said(engine: EngineName | null, { pins, model }: Ability): readonly Diagnostic[] {
  const step: StageStep = stage(model ?? dense, {
    engine: engine === null ? null : given(engine),
    batch: given({ unit: "samples", value: 64 } as const),
    layout: { given: settings(pins), bounds: new Map() },
  });
  const { diagnostics } = plan(pipeline(step, cluster({ ram: 2 ** 41 })));
  return diagnostics.filter(({ severity }) => severity === "error");
}

const rows = abilities.flatMap((ability) =>
  all.map((engine) => [ability.name, engine, ability.engines.includes(engine), ability] as const),
);

describe("an engine that is named", () => {
  it.each(rows)("%s on %s: %s", (_, engine, can, ability) => {
    const errors = said(engine, ability);
    if (can) return expect(errors.map(({ message }) => message)).toEqual([]);
    expect(errors.length).toBeGreaterThan(0);
    for (const { code, message } of errors) {
      expect(code).toMatch(/^cdr\/layout-(parallel|unsupported)$/);
      expect(message, "names who cannot").toContain(engine);
      expect(
        ability.engines.some((other) => message.replace(`engine ${engine}`, "").includes(other)),
        `${message}: names who can`,
      ).toBe(true);
    }
  });
});

describe("no engine that is named", () => {
  it.each(abilities.map((ability) => [ability.name, ability] as const))(
    "%s finds or names one that can",
    (_, able) => {
      for (const { message } of said(null, able))
        expect(able.engines.some((engine) => message.includes(`engine ${engine} can`))).toBe(true);
    },
  );
});

it("speaks of every ability that an engine states", () => {
  const asked = new Set(abilities.flatMap(({ pins }) => Object.keys(pins)));
  for (const { capabilities } of Object.values(engines))
    for (const parallel of Object.keys(capabilities.parallel)) expect(asked).toContain(parallel);
});

describe("an optimizer whose states Megatron does not share out", () => {
  const planned = (pins: Readonly<Record<string, Scalar>>) => {
    const plain = stage(dense, { engine: given("megatron") });
    const { plan: made, diagnostics } = plan(
      pipeline(
        {
          ...plain,
          batch: given({ unit: "samples", value: 64 } as const),
          optimizer: { ...plain.optimizer, name: "sgd", momentum: 0.9 },
          layout: { given: settings(pins), bounds: new Map() },
        },
        cluster({ ram: 2 ** 41 }),
      ),
    );
    return { stage: made.stages[0]?.layout.zero_stage, told: diagnostics.map(({ message }) => message).join("; ") };
  };

  it("stays whole on every rank where nothing is said", () => {
    expect(planned({ tensor_parallel: 2 })).toEqual({ stage: 0, told: "" });
  });

  it("is told where it is asked to be shared out", () => {
    expect(planned({ zero_stage: 1 }).told).toContain(
      "megatron cannot shard the states of sgd, which needs zero_stage 0",
    );
  });
});

describe("the reference names the engines that carry a layout's words out", () => {
  const named = (text = ""): readonly string[] => [...text.matchAll(/`(\w+)`/g)].flatMap(([, name]) => name ?? []);
  it.each(Object.entries(engines.megatron.capabilities.parallel).map(([name]) => name))("%s", (name) => {
    const able = all.filter((engine) => (engines[engine].capabilities.parallel[name as "tensor_parallel"] ?? 1) > 1);
    expect(named(layout.properties[name]?.runsBy).toSorted()).toEqual(able.toSorted());
  });
});
