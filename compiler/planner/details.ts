/** What a layout says of recomputation and offloading beside their kinds: which modules, and of which layers. */
import type { Module } from "./physics/layout.ts";

export interface Details {
  /** Of `recompute = selective`. */
  readonly modules?: readonly Module[];
  /** Of `recompute = full`: so many layers of each chunk of a stage; or layers that keep one input together. */
  readonly block?: number;
  readonly uniform?: number;
  /** Of `offload = activations`: the first so many layers. */
  readonly offloaded?: number;
}

export const modules: readonly Module[] = [
  "core_attn",
  "layernorm",
  "mla_up_proj",
  "mlp",
  "moe_act",
  "moe",
  "shared_experts",
];

/** Orders in which the stages of a pipeline run micro-batches; the second and the third are 1F1B, of one chunk and of several. */
export const schedules = ["gpipe", "one_forward_one_backward", "interleaved", "zero_bubble"] as const;
export type PipelineSchedule = (typeof schedules)[number];

/** Which layers of a model with so many run again, as the physics counts them. */
export function repeated(
  { block, uniform }: Details,
  layers: number,
  { pipeline, chunks }: { readonly pipeline: number; readonly chunks: number },
): { readonly share?: number; readonly unit?: number } {
  if (block !== undefined) return { share: Math.min(1, (block * pipeline * chunks) / layers) };
  return uniform === undefined ? {} : { unit: Math.min(uniform, layers / (pipeline * chunks)) };
}

/** Layers whose activations pass to the host: one stays on the device. */
export function offloadedLayers({ offloaded }: Details, layers: number): number {
  return Math.min(offloaded ?? layers - 1, layers - 1);
}

/** A kind with what is said beside it, as a file would say it. */
export function detailText(kind: string, { modules: named, block, uniform, offloaded }: Details): string {
  switch (kind) {
    case "selective":
      return named === undefined ? kind : `selective(modules = [${named.join(", ")}])`;
    case "full":
      if (block !== undefined) return `full(block = ${block})`;
      return uniform === undefined ? kind : `full(uniform = ${uniform})`;
    case "activations":
      return offloaded === undefined ? kind : `activations(layers = ${offloaded})`;
    default:
      return kind;
  }
}
