/** What runs forward again in the backward pass of a layer. */
import type { Layout, Module } from "./layout.ts";

const usual: readonly Module[] = ["core_attn"];

/** Is this module thrown away after the forward pass? Not by itself where all of the layer is. */
export function isRecomputed({ recompute, modules = usual }: Layout, module: Module): boolean {
  return recompute === "selective" && modules.includes(module);
}

/** The modules whose products run again with them, by how the products are called. */
const within: readonly (readonly [RegExp, readonly Module[]])[] = [
  [/^ffn_/, ["mlp"]],
  [/^(expert_|router$|latent_)/, ["moe"]],
  [/^shared_/, ["moe", "shared_experts"]],
  [/^(q|kv)_up$/, ["mla_up_proj"]],
];

/** Does this product run forward twice? */
export function runsAgain(layout: Layout, name: string): boolean {
  if (layout.recompute !== "selective") return layout.recompute === "full";
  const found = within.find(([pattern]) => pattern.test(name));
  return found?.[1].some((module) => isRecomputed(layout, module)) === true;
}
