/** What DeepSpeed's AutoEP takes, whose layers come in the place of those of transformers (module_inject/auto_ep.py). */
import type { SharedExperts } from "../engine.ts";

/** It finds experts by presets, which have the names of these families; they were trained so (trainer/tests/test_expert_ranks.py). */
const families: ReadonlySet<string> = new Set(["mixtral", "qwen3_moe", "deepseek_v2", "deepseek_v3"]);

export const sharedExperts: SharedExperts = {
  // Of stage 3 the engine writes no whole weights (runtime/engine.py: _raise_if_autoep_zero3_consolidated_export).
  zero_stages: [1, 2],
  // Its experts were not run with masters on the host here.
  offload: ["none"],
  unfound: ({ model, tuning, compile }) => [
    ...(families.has(model.family)
      ? []
      : [
          `DeepSpeed does not support the experts of family ${model.family}, only those of ${[...families].join(", ")}`,
        ]),
    ...(tuning === undefined
      ? []
      : ["only part of the model is trained, and some ranks would have nothing to train"]),
    ...(compile ? ["compile = true needs layers without communication"] : []),
  ],
};
