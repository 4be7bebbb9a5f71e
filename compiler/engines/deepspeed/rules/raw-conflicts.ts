import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import { engineRawConflict, engineRawOwned } from "../../../diagnostics/engine-raw.ts";
import type { Document } from "../../../document.ts";
import type { Rule } from "../../engine.ts";
import { derivedConfig } from "../config.ts";
import { isSection } from "../merge.ts";
import { owners } from "./owners.ts";
import { rawKeys } from "./raw-keys.ts";
import { spanOf } from "./span.ts";

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
    if (Object.keys(stage.raw).length === 0) return [];
    // What has the wrong type contradicts nothing yet.
    const mistyped = new Set(rawKeys.check(stage, plan, cluster).map(({ span }) => span.start));
    const derived = derivedConfig(stage, plan);
    const found: Diagnostic[] = Object.entries(owned)
      .filter(([key]) => at(stage.raw, key) !== undefined)
      .map(([key, property]) => engineRawOwned(spanOf(stage, key), { key, property }));
    for (const [path, owner] of Object.entries(owners)) {
      const raw = at(stage.raw, path);
      const ours = at(derived, path) ?? owner.absent?.(stage, plan);
      // The disk of the host is where its memory would be: the engine puts there what does not fit.
      if (raw === undefined || ours === undefined || raw === ours || (raw === "nvme" && ours === "cpu")) continue;
      if (mistyped.has(spanOf(stage, path).start)) continue;
      const slots = {
        key: path,
        raw: JSON.stringify(raw),
        derived: JSON.stringify(ours),
        from: owner.from(stage, plan),
      };
      const related = [{ message: "it follows from this", span: owner.span(stage) }];
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
