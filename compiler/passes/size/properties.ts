import type { Property } from "../../models/family.ts";

/** Every property that a family decides; values have the right kind by the time they come here. */
const properties: Readonly<Record<Property, true>> = {
  layers: true,
  d_model: true,
  heads: true,
  kv_heads: true,
  head_dim: true,
  d_ff: true,
  vocab: true,
  context: true,
  tied: true,
  bias: true,
  qkv_bias: true,
  norm: true,
  norm_eps: true,
  activation: true,
  gated: true,
  qk_norm: true,
  parallel_residual: true,
  positions: true,
  rotary_fraction: true,
  rope_theta: true,
  dropout: true,
  init_std: true,
};

export function isKnown(property: string): property is Property {
  return Object.hasOwn(properties, property);
}
