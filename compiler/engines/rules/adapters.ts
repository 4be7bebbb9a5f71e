import { engineOption } from "../../diagnostics/engine.ts";
import { families } from "../../models/index.ts";
import { routedOf } from "../../models/routed.ts";
import type { SizedModel } from "../../plan.ts";
import { frozenLayers } from "../../planner/adapter/frozen-layers.ts";
import type { Rule } from "../engine.ts";
import { adaptedMatrices } from "../trainer-tuning.ts";

/** Parts of a feed-forward layer under the names that experts had when each was a module. */
const once = /\.(gate_proj|up_proj|down_proj)$/;
const fused = /^(mixer|mamba)\.out_proj$/;

/** What peft makes adapters of. */
export const adapters: Rule = {
  name: "adapters",
  source:
    "peft tuners/lora/layer.py: ParamWrapper (no dropout); tuners/tuners_utils.py: _check_lora_target_modules_mamba; " +
    "utils/transformers_weight_conversion.py: _convert_peft_config_moe",
  check: ({ tuning }, { model, engine }) => {
    const said = tuning?.adapters ?? null;
    if (tuning === undefined || said === null) return [];
    // That no layer is trained is told where they are frozen.
    if (frozenLayers(tuning.freeze, model.layers) === model.layers) return [];
    const { modules, parameters } = adaptedMatrices(model, tuning);
    const why = unfit(model, modules, parameters);
    const refuse = (option: string, reason: string, valid: readonly string[] = []) =>
      engineOption(said.span, { engine, option, why: reason }, { valid });
    if (why !== null) return [refuse("`targets` of `lora`", why)];
    if (said.dropout === 0 || parameters.length === 0) return [];
    const bare = `${parameters.join(", ")} of family ${model.family} are not modules whose inputs could be dropped`;
    return [refuse("dropout of `lora`", bare, ["0%"])];
  },
};

function unfit(model: SizedModel, modules: readonly string[], parameters: readonly string[]): string | null {
  if (modules.length + parameters.length === 0) return "no trained layer of the model has any of them";
  const scan = modules.find((name) => fused.test(name));
  if (scan !== undefined) return `the kernel of a scan reads ${scan} directly, without its adapter`;
  // Those of a module and those inside it are not taken apart again when they are merged.
  const within = parameters
    .map((name) => name.replace(/[^.]*$/, ""))
    .find((part) => modules.some((name) => name.startsWith(part)));
  if (within !== undefined) return `peft cannot merge adapters of ${within.slice(0, -1)} and of its parts at once`;
  const routed = routedOf(families[model.family], model);
  const taken = routed !== undefined ? modules.find((name) => once.test(name)) : undefined;
  return taken === undefined ? null : `in a model with experts, peft treats ${taken} as part of the experts`;
}
