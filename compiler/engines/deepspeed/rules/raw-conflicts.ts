import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../../../dsl/source/source.ts";
import { engineRawConflict, engineRawOwned } from "../../../diagnostics/engine-raw.ts";
import type { Document } from "../../../document.ts";
import type { StageStep } from "../../../pipeline.ts";
import type { StagePlan } from "../../../plan.ts";
import type { Rule } from "../../engine.ts";
import { derivedConfig } from "../config.ts";
import { isSection } from "../merge.ts";
import { rawKeys } from "./raw-keys.ts";
import { spanOf } from "./span.ts";

/** A key that the stage decides: what decides it, and where that was said. */
interface Owner {
  readonly from: (stage: StageStep, plan: StagePlan) => string;
  readonly span: (stage: StageStep) => Span | undefined;
  /** What an absent key of the derived configuration means. */
  readonly absent?: Document | ((plan: StagePlan) => Document);
}

const layout = (property: string): Owner => ({
  from: () => `layout.${property} of the stage`,
  span: (stage) => stage.layout.given.get(property)?.span,
  absent: "none",
});
const precision: Owner = {
  from: (stage) => `precision = ${stage.precision.value}`,
  span: (stage) => stage.precision.span,
  absent: false,
};

const experts = layout("expert_parallel");
const model: Owner = { from: (_, plan) => `family ${plan.model.family} of the model`, span: () => undefined };

const owners: Readonly<Record<string, Owner>> = {
  train_batch_size: {
    from: (stage) => `batch = ${stage.batch.value.value} ${stage.batch.value.unit}`,
    span: (stage) => stage.batch.span,
  },
  train_micro_batch_size_per_gpu: layout("micro_batch"),
  gradient_accumulation_steps: {
    from: (_, { batch, layout }) =>
      `${batch.global_batch} samples = ${batch.micro_batch} micro x ${batch.accumulation} accumulation x ${layout.data_parallel} ${layout.data_parallel === layout.world ? "ranks" : "replicas"}`,
    span: (stage) => stage.batch.span,
  },
  gradient_clipping: { from: (stage) => `clip = ${stage.clip ?? "none"}`, span: () => undefined },
  "bf16.enabled": precision,
  "fp16.enabled": precision,
  "zero_optimization.stage": layout("zero_stage"),
  "expert_parallel.enabled": experts,
  "expert_parallel.autoep_size": experts,
  "expert_parallel.preset_model": model,
  // Old names: what the layout says is written under the new ones.
  "zero_optimization.cpu_offload": { ...layout("offload"), absent: ({ layout: { offload } }) => offload !== "none" },
  "zero_optimization.cpu_offload_param": {
    ...layout("offload"),
    absent: ({ layout: { offload } }) => offload === "all",
  },
  "zero_optimization.offload_optimizer.device": layout("offload"),
  "zero_optimization.offload_param.device": layout("offload"),
};

/** Sections that would replace what the training program brings itself. */
const owned: Readonly<Record<string, string>> = {
  optimizer: "optimizer",
  scheduler: "schedule",
  ...Object.fromEntries(
    [
      ...[
        "top_k",
        "route_norm",
        "route_scale",
        "score_apply",
        "score_func",
        "num_expert_groups",
        "num_limited_groups",
      ],
      ...["routed_scaling_factor", "expert_activation", "has_shared_experts", "moe_layer_pattern", "expert_pattern"],
      ...[
        "router_pattern",
        "shared_experts_pattern",
        "shared_experts_gate_pattern",
        "num_experts_attr",
        "top_k_attr",
      ],
      ...["expert_w1", "expert_w2", "expert_w3"],
    ].map((key) => [`expert_parallel.${key}`, "model"]),
  ),
};

/** What the stage says and what `raw deepspeed` says agree; the Trainer compares most of them too. */
export const rawConflicts: Rule = {
  name: "raw-conflicts",
  source: "transformers integrations/deepspeed.py: HfTrainerDeepSpeedConfig.fill_match, trainer_config_finalize",
  check: (stage, plan, cluster) => {
    // What has the wrong type contradicts nothing yet.
    const mistyped = new Set(rawKeys.check(stage, plan, cluster).map(({ span }) => span.start));
    const derived = derivedConfig(stage, plan);
    const found: Diagnostic[] = Object.entries(owned)
      .filter(([key]) => at(stage.raw, key) !== undefined)
      .map(([key, property]) => engineRawOwned(spanOf(stage, key), { key, property }));
    for (const [path, owner] of Object.entries(owners)) {
      const raw = at(stage.raw, path);
      const ours = at(derived, path) ?? (typeof owner.absent === "function" ? owner.absent(plan) : owner.absent);
      // The disk of the host is where its memory would be: the engine puts there what does not fit.
      if (raw === undefined || raw === ours || (raw === "nvme" && ours === "cpu")) continue;
      if (mistyped.has(spanOf(stage, path).start)) continue;
      const said = owner.span(stage);
      const slots = {
        key: path,
        raw: JSON.stringify(raw),
        derived: JSON.stringify(ours),
        from: owner.from(stage, plan),
      };
      const related = said === undefined ? [] : [{ message: "the stage says it here", span: said }];
      found.push(engineRawConflict(spanOf(stage, path), slots, { related, valid: [JSON.stringify(ours)] }));
    }
    return found;
  },
};

function at(config: Document | undefined, path: string): Document | undefined {
  return path
    .split(".")
    .reduce<Document | undefined>((value, key) => (isSection(value) ? value[key] : undefined), config);
}
