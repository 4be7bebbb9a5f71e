/** A model whose layers stand in JSON, on the command line or in a file that can be read: what it says, against the arguments beside it. */
import type { Arguments } from "../launch.ts";
import { rulesOf, type Step } from "../step.ts";

const { demand } = rulesOf("megatron/training/arguments.py: validate_model_config_args_from_heterogeneous_config");

type Model = Readonly<Record<string, unknown>>;

const isModel = (value: unknown): value is Model =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The text that is given; `null` where there is none, or no JSON. */
export function modelIn({ heterogeneous_layers_config_encoded_json: text }: Arguments): Model | null {
  try {
    const value: unknown = text === null ? null : JSON.parse(text);
    return isModel(value) ? value : null;
  } catch {
    return null;
  }
}

/** How many heads share one head of keys, in each layer that has attention. */
function sharers({ block_configs: blocks }: Model): readonly number[] {
  if (!Array.isArray(blocks)) return [];
  return blocks.flatMap((block: unknown) => {
    const attention = isModel(block) ? block.attention : null;
    const heads = isModel(attention) ? attention.n_heads_in_group : null;
    return typeof heads === "number" ? [heads] : [];
  });
}

/** What the model says of an argument; `undefined` where it says nothing. */
const said = {
  num_layers: ({ num_hidden_layers: layers }) => layers,
  hidden_size: ({ hidden_size: size }) => size,
  num_attention_heads: ({ num_attention_heads: heads }) => heads,
  untie_embeddings_and_output_weights: ({ tie_word_embeddings: tied }) =>
    typeof tied === "boolean" ? !tied : undefined,
  rotary_base: ({ rope_theta: base }) => base,
  rope_scaling_factor: ({ rope_scaling: scaling }) => (isModel(scaling) ? scaling.factor : undefined),
  num_query_groups: (model) => {
    const [heads] = sharers(model);
    const { num_attention_heads: all } = model;
    return heads === undefined || typeof all !== "number" ? undefined : Math.floor(all / heads);
  },
} satisfies Partial<Record<keyof Arguments, (model: Model) => unknown>>;

const optionOf = (name: string): string => `--${name.replaceAll("_", "-")}`;
/** The engine takes the text of the file where there is no text (`Path(…).read_text()`). */
export const heterogeneousText = [
  "heterogeneous_layers_config_encoded_json",
  "heterogeneous_layers_config_path",
] as const;
const about = heterogeneousText;

export const heterogeneousModel: readonly Step[] = [
  demand("heterogeneous-activation", {
    about,
    check: (a) => {
      const activation = modelIn(a)?.hidden_act ?? "silu";
      return activation === "silu" ? null : `hidden_act is ${JSON.stringify(activation)}, and must be "silu"`;
    },
    why: "Layers that differ are built with SwiGLU only, so the model must name silu as its activation.",
    fix: 'Give a model whose hidden_act is "silu".',
    fires: '--heterogeneous-layers-config-encoded-json {"hidden_act":"gelu"}',
    silent: '--heterogeneous-layers-config-encoded-json {"hidden_act":"silu"}',
  }),
  demand("heterogeneous-groups", {
    about,
    check: (a) => {
      const found = [...new Set(sharers(modelIn(a) ?? {}))];
      return found.length <= 1
        ? null
        : `n_heads_in_group is ${found.join(" and ")}, and must be the same in all layers`;
    },
    why: "Layers may leave attention out, but those that have it share one number of query groups.",
    fix: "Give a model whose n_heads_in_group is the same wherever it is not null.",
    fires:
      '--heterogeneous-layers-config-encoded-json {"block_configs":[{"attention":{"n_heads_in_group":8}},{"attention":{"n_heads_in_group":4}}]}',
    silent:
      '--heterogeneous-layers-config-encoded-json {"block_configs":[{"attention":{"n_heads_in_group":8}},{"attention":{"n_heads_in_group":null}}]}',
  }),
  demand("heterogeneous-sizes", {
    about: [...about, ...(Object.keys(said) as (keyof typeof said)[])],
    check: (a) => {
      const model = modelIn(a);
      if (model === null) return null;
      const other = (Object.keys(said) as (keyof typeof said)[]).flatMap((name) => {
        const wanted = said[name](model);
        return wanted === undefined || wanted === a[name]
          ? []
          : [`${optionOf(name)} is ${String(a[name])}, not ${String(wanted)}`];
      });
      return other.length === 0 ? null : `the arguments differ from the model of the JSON: ${other.join(", ")}`;
    },
    why: "The JSON does not set sizes: the arguments do, and the engine stops where the two differ.",
    fix: "Write the model's sizes as arguments too.",
    fires: '--heterogeneous-layers-config-encoded-json {"hidden_size":96}',
    silent: '--heterogeneous-layers-config-encoded-json {"hidden_act":"silu"}',
  }),
];
