import type { Property } from "../../models/family.ts";
import type { Scalar } from "../../pipeline.ts";

/** What kind of value a property takes. */
type Kind = "count" | "fraction" | "positive" | "flag" | readonly string[];

const kinds: Readonly<Record<Property, Kind>> = {
  layers: "count",
  d_model: "count",
  heads: "count",
  kv_heads: "count",
  head_dim: "count",
  d_ff: "count",
  vocab: "count",
  context: "count",
  tied: "flag",
  bias: "flag",
  qkv_bias: "flag",
  norm: ["rms", "layer"],
  norm_eps: "positive",
  activation: ["gelu", "gelu_tanh", "relu", "relu2", "silu"],
  gated: "flag",
  qk_norm: "flag",
  parallel_residual: "flag",
  positions: ["rope", "learned", "alibi", "none"],
  rotary_fraction: "fraction",
  rope_theta: "positive",
  dropout: "fraction",
  init_std: "positive",
};

export function isKnown(property: string): property is Property {
  return Object.hasOwn(kinds, property);
}

export function isOfKind(property: Property, value: Scalar): boolean {
  const kind = kinds[property];
  switch (kind) {
    case "flag":
      return typeof value === "boolean";
    case "count":
      return typeof value === "number" && Number.isInteger(value) && value >= 1;
    case "fraction":
      return typeof value === "number" && value >= 0 && value <= 1;
    case "positive":
      return typeof value === "number" && value >= 0;
    default:
      return typeof value === "string" && kind.includes(value);
  }
}

export function kindText(property: Property): string {
  const kind = kinds[property];
  switch (kind) {
    case "flag":
      return "true or false";
    case "count":
      return "a whole number from 1 on";
    case "fraction":
      return "a fraction between 0 and 1";
    case "positive":
      return "a number from 0 on";
    default:
      return `one of ${kind.join(", ")}`;
  }
}
