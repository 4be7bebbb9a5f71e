/** What the trainer builds a model of: the class of a library and its configuration, by the family's table. */
import type { Build, Family, Json, Property, Shape } from "./family.ts";
import { valueAt } from "./shape.ts";

type Keys = Build["keys"];

/** `transformers` computes `gelu_pytorch_tanh` in one kernel and `gelu_new` in many; they are the same function. */
const activations = {
  gelu: "gelu",
  gelu_tanh: "gelu_pytorch_tanh",
  relu: "relu",
  relu2: "relu2",
  silu: "silu",
} as const;

export const activation = (shape: Shape): Json => activations[shape.activation];
export const always = (value: Json) => (): Json => value;
/** Configurations have `null` where a property is 0: no window, no latent queries. */
export const orNull =
  (property: Property) =>
  (shape: Shape): Json =>
    (valueAt(shape, property) as number) || null;
/** Ids of tokens come from the tokenizer, not from the family. */
const shared: Keys = { vocab_size: "vocab", initializer_range: "init_std", tie_word_embeddings: "tied" };

/** Keys that configurations of this generation share. */
export const usual: Keys = {
  hidden_size: "d_model",
  num_hidden_layers: "layers",
  num_attention_heads: "heads",
  num_key_value_heads: "kv_heads",
  intermediate_size: "d_ff",
  max_position_embeddings: "context",
  attention_dropout: "dropout",
  hidden_act: activation,
};
export const rms: Keys = { rms_norm_eps: "norm_eps" };
export const rope: Keys = {
  rope_parameters: ({ rope_theta }) => ({ rope_type: "default", rope_theta }),
};
export const partialRope: Keys = {
  rope_parameters: ({ rope_theta, rotary_fraction }) => ({
    rope_type: "default",
    rope_theta,
    partial_rotary_factor: rotary_fraction,
  }),
};

export interface Built {
  readonly model: string;
  readonly config: string;
  readonly values: Readonly<Record<string, Json>>;
}

/** `null` where its class cannot build it: `unbuildable` says why. */
export function builtBy(family: Family, shape: Shape): Built | null {
  const { build } = family;
  if (unbuildable(family, shape) !== null) return null;
  const values: Record<string, Json> = {};
  for (const [key, from] of Object.entries({ ...shared, ...build.keys })) {
    values[key] = typeof from === "function" ? from(shape) : (valueAt(shape, from) as Json);
  }
  return { model: build.model, config: build.config, values };
}

/** Why the trainer cannot build a model that the family may well be, or `null`. */
export function unbuildable(family: Family, shape: Shape): string | null {
  const { build } = family;
  const wrong = Object.entries(build.only ?? {}).flatMap(([property, only]) => {
    const value = valueAt(shape, property as Property);
    return only?.includes(value as never) === false
      ? [`${property} = ${String(value)} (only ${only.join(", ")})`]
      : [];
  });
  return wrong.length === 0 ? null : `${build.model} has no ${wrong.join(", ")}`;
}
