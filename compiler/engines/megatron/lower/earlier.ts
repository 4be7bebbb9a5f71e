/** What a release has in the place of an argument, a module or a default that came later. */
import { below } from "../../release.ts";
import { knows } from "../print.ts";
import type { ArgumentTable } from "../table.ts";
import { only, say, type Intent, type Subject } from "./intent.ts";

/** Letters that patterns of layers have had from the first release on; experts came with 0.16. */
const letters = /^[M*-]+$/;

/** The intent as the release would say it: itself where it knows it, or knows nothing in its place. */
export function asOf(intent: Intent, table: ArgumentTable, { plan: { model, layout } }: Subject): readonly Intent[] {
  const { dest, value } = intent;
  // The hybrid models were mamba's until 0.18: `value` would name a module that is not there.
  if (dest === "spec" && Array.isArray(value) && value[1] === "hybrid_stack_spec" && below(table.version, "0.18"))
    return [{ ...intent, value: ["megatron.core.models.mamba.mamba_layer_specs", "mamba_stack_spec"] }];
  if (knows(dest, table)) return [intent];
  const stages = layout.pipeline_parallel;
  switch (dest) {
    // Until 0.17; the argument takes its place by another name.
    case "muon_nesterov":
      return knows("muon_use_nesterov", table) ? [{ ...intent, dest: "muon_use_nesterov" }] : [intent];
    // Until 0.16 a pattern says no stages, which are equally deep, and the number of layers stands beside it.
    case "hybrid_layer_pattern": {
      const pattern = String(value).replaceAll("|", "");
      const isEven = pattern.length % stages === 0;
      const isKnown = letters.test(pattern) || !below(table.version, "0.16");
      if (!isEven || !isKnown || !knows("hybrid_override_pattern", table)) return [intent];
      return [
        { ...intent, dest: "hybrid_override_pattern", value: pattern },
        say("num_layers", pattern.length, intent.from),
        ...only(knows("is_hybrid_model", table), () => [say("is_hybrid_model", true, "model.family")]),
      ];
    }
    // Until 0.10 the size of a chunk is said, not how many a stage has.
    case "num_virtual_stages_per_pipeline_rank": {
      const size = model.layers / stages / Number(value);
      return Number.isInteger(size)
        ? [{ ...intent, dest: "num_layers_per_virtual_pipeline_stage", value: size }]
        : [intent];
    }
    // Until 0.11 the products of attention are what is recomputed selectively.
    case "recompute_modules":
      return JSON.stringify(value) === '["core_attn"]' ? [] : [intent];
    default:
      return [intent];
  }
}
