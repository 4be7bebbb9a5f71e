/** How a layout recomputes and offloads, as a file would say it. */
import type { Layout } from "../../compiler/plan.ts";

export function recomputeText(layout: Layout): string {
  const { recompute, recompute_modules: modules, recompute_block: block, recompute_uniform: uniform } = layout;
  if (modules !== undefined) return `${recompute} (${modules.join(", ")})`;
  if (block !== undefined)
    return `${recompute} (${block} of each ${layout.virtual_pipeline > 1 ? "chunk" : "stage"}'s layers)`;
  return uniform === undefined ? recompute : `${recompute} (${uniform} layers at once)`;
}

export const offloadText = ({ offload, offload_layers: layers }: Layout): string =>
  layers === undefined ? offload : `${offload} of ${layers} layers`;
