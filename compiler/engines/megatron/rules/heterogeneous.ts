/** A file that says each layer of a model by itself: what the arguments have to say beside it. */
import type { Arguments } from "../launch.ts";
import { rulesOf, type Step } from "../step.ts";
import { heterogeneousModel, heterogeneousText, modelIn } from "./heterogeneous-model.ts";

const { demand } = rulesOf("megatron/training/arguments.py: validate_model_config_args_from_heterogeneous_config");

const isGiven = (a: Arguments): boolean =>
  a.heterogeneous_layers_config_path !== null || a.heterogeneous_layers_config_encoded_json !== null;

/** What every such model is, in the arguments that say it. */
const said: readonly (readonly [string, (a: Arguments) => boolean])[] = [
  ["--swiglu", (a) => a.swiglu],
  ["--normalization RMSNorm", (a) => a.normalization === "RMSNorm"],
  ["--group-query-attention", (a) => a.group_query_attention],
  ["--position-embedding-type rope", (a) => a.position_embedding_type === "rope"],
  ["--rotary-percent 1.0", (a) => a.rotary_percent === 1],
  ["--use-rope-scaling", (a) => a.use_rope_scaling],
  ["--use-rotary-position-embeddings", (a) => a.use_rotary_position_embeddings],
];

export const heterogeneous: readonly Step[] = [
  demand("heterogeneous-text", {
    about: heterogeneousText,
    check: (a) => {
      if (a.heterogeneous_layers_config_encoded_json === null || modelIn(a) !== null) return null;
      const path = a.heterogeneous_layers_config_path;
      return `${path ?? "--heterogeneous-layers-config-encoded-json"} is not a JSON object`;
    },
    why: "The text, or that of the file, is read as a model configuration in JSON, with a list of its blocks. The name of a file belongs in --heterogeneous-layers-config-path.",
    fix: "Quote the whole JSON text as one word, or name its file with --heterogeneous-layers-config-path.",
    fires: "--heterogeneous-layers-config-encoded-json layers.json",
    silent: "--heterogeneous-layers-config-encoded-json {}",
  }),
  demand("heterogeneous-arguments", {
    about: ["heterogeneous_layers_config_path", "heterogeneous_layers_config_encoded_json"],
    check: (a) => {
      if (!isGiven(a)) return null;
      const missing = said.filter(([, isSaid]) => !isSaid(a)).map(([argument]) => argument);
      return missing.length === 0 ? null : `layers that differ need ${missing.join(", ")}`;
    },
    why: "Models with heterogeneous layers are variants of Llama with scaled rotary positions. The file does not say this: the arguments must, and are checked.",
    fix: "Add the arguments in the message; sizes, heads and the rotary base must equal those in the file.",
    fires: "--heterogeneous-layers-config-path layers.json",
    silent:
      "--heterogeneous-layers-config-path layers.json --swiglu --normalization RMSNorm --group-query-attention --num-query-groups 4 --position-embedding-type rope --use-rope-scaling --use-rotary-position-embeddings",
  }),
  ...heterogeneousModel,
];
