/** What Megatron demands of a stage: of its model, of its raw block, and of the whole launch that it becomes. */
import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import { engineDevice, engineModel, engineProperty, engineTuning } from "../../../diagnostics/engine.ts";
import { engineRawUncounted } from "../../../diagnostics/engine-raw.ts";
import type { StageStep } from "../../../pipeline.ts";
import type { Rule } from "../../engine.ts";
import { lackedBy } from "../../rules/precision.ts";
import { rawUnread } from "../../rules/raw-unread.ts";
import { slowPrecision } from "../../rules/slow-precision.ts";
import { unfusedHeads } from "../../rules/unfused-heads.ts";
import { schedules } from "../lower/course.ts";
import { inexpressible } from "../lower/expressible.ts";
import { launchOf } from "../lower/launch.ts";
import { bridge } from "./bridge.ts";
import { conversations } from "./conversations.ts";
import { hosted } from "./hosted.ts";
import { kept } from "./kept.ts";
import { launch } from "./launch.ts";
import { narrowFaults } from "./narrow-faults.ts";
import { raw } from "./raw.ts";
import { late, version } from "./release.ts";
import { rule } from "./rule.ts";
import { uncounted } from "./uncounted.ts";

const model = rule("model", "pretrain_gpt.py, pretrain_hybrid.py: model_provider", (stage, plan) =>
  inexpressible(plan.model).map((why) =>
    engineModel(stage.model.family.span, { engine: "megatron", family: plan.model.family, why }),
  ),
);

const device = rule("device", "megatron/training/initialize.py: initialize_megatron", (stage, _, cluster) =>
  cluster.device.kind === "gpu"
    ? []
    : [engineDevice(stage.engine?.span ?? stage.span, { engine: "megatron", device: cluster.device.name })],
);

const choices = rule("choices", "megatron/training/arguments.py: --optimizer, --lr-decay-style", (stage) => {
  const of = (property: "optimizer" | "schedule", valid: readonly string[]): Diagnostic[] => {
    const { name, span } = stage[property];
    const slots = { engine: "megatron", property, value: name, valid: valid.join(", ") };
    return valid.includes(name) ? [] : [engineProperty(span, slots, { valid })];
  };
  return [...of("optimizer", ["adamw", "sgd", "muon"]), ...of("schedule", schedules), ...muonFaults(stage)];
});

/** The engine's Muon has one rate for everything, and its momentum stays. */
function muonFaults({ optimizer: { muon, lr, momentum, span } }: StageStep): Diagnostic[] {
  if (muon === undefined) return [];
  const refuse = (value: string, valid: string): Diagnostic =>
    engineProperty(span, { engine: "megatron", property: "optimizer", value, valid });
  return [
    ...(muon.rates.every((rate) => rate === lr)
      ? []
      : [refuse("muon with separate rates for other parameters", `a single rate: lr = ${lr} in others too`)]),
    ...(momentum === undefined ? [refuse("muon with a changing momentum", "a fixed momentum")] : []),
  ];
}

const precision = rule(
  "precision",
  "transformer_engine/pytorch/quantization.py: check_fp8_support, check_mxfp8_support, check_nvfp4_support; cuBLAS, cublasLtMatmul: CUDA_R_16BF from Ampere on",
  (stage, { engine }, { device }) => [
    ...narrowFaults(stage, device),
    ...(device.kind === "gpu" ? lackedBy(device, stage.precision, engine) : []),
  ],
);

const tuning = rule("tuning", "pretrain_gpt.py: model_provider", ({ tuning: said, span }, plan) => {
  if (said === undefined) return [];
  const slots = { engine: plan.engine, property: said.adapters === null ? "freeze" : "adapters" };
  return [engineTuning(said.adapters?.span ?? span, { ...slots, others: "torch and deepspeed" })];
});

const counted = rule("counted", "compiler/engines/megatron/stage/uncounted.ts", (stage, plan, cluster) => {
  if (inexpressible(plan.model).length > 0) return [];
  const open = launchOf({ stage, plan, cluster }).raw.flatMap(({ key, span, argument, value }) => {
    const what = uncounted[argument.dest];
    const isUsual = value === null || value === false || value === argument.default;
    return what === undefined || isUsual ? [] : [{ key, span, what }];
  });
  if (open.length === 0) return [];
  // What is refused, or read by nothing, changes nothing.
  const told = new Set(
    launch.check(stage, plan, cluster).flatMap(({ severity, span }) => (severity === "info" ? [] : [span.start])),
  );
  return open.flatMap(({ key, span, what }) =>
    told.has(span.start) ? [] : [engineRawUncounted(span, { key, what })],
  );
});

export const rules: readonly Rule[] = [
  version,
  late,
  device,
  model,
  choices,
  precision,
  slowPrecision,
  unfusedHeads,
  tuning,
  hosted,
  rawUnread,
  raw,
  kept,
  conversations,
  counted,
  bridge,
  launch,
];
