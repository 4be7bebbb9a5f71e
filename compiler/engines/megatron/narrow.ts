/** What Transformer Engine keeps of products in 8 and 4 bits. */
import type { Device, NarrowSpec, Precision } from "../../pipeline.ts";
import type { Engine } from "../../planner/physics/engine.ts";
import { architectureOf } from "./architecture.ts";

export type Narrow = "fp8" | "fp4";

export const isNarrow = (precision: Precision): precision is Narrow => precision === "fp8" || precision === "fp4";

const blackwell = 10;

/**
 * Blackwell for servers, by its compute capability, or by units for 4 bits where nobody listed it: for cards of desks Transformer Engine has
 * no products of such blocks (transformer_engine/pytorch/quantization.py: check_mxfp8_support).
 */
export function hasBlockScales(device: Device): boolean {
  const architecture = architectureOf(device.name);
  return typeof architecture === "number" ? Math.floor(architecture) === blackwell : (device.flops.fp4 ?? 0) > 0;
}

/** What shares a scale: blocks of 32 where the device scales them itself, else a tensor. */
export function recipeOf(device: Device, spec: NarrowSpec | undefined): string {
  return spec?.recipe?.value ?? (hasBlockScales(device) ? "mxfp8" : "tensorwise");
}

/** Bytes of an element with its part of a scale. */
function elementOf(format: Narrow, recipe: string): number {
  // 16 values and a byte (NVFP4); 32 and a byte (MXFP8); 128 and a float.
  if (format === "fp4") return 0.5 + 1 / 16;
  return 1 + (recipe === "mxfp8" ? 1 / 32 : recipe === "blockwise" ? 4 / 128 : 0);
}

/**
 * Matrices are quantised once a step, by rows and by columns, and both stay (transformer_engine/pytorch/module/linear.py: a workspace
 * under `is_first_microbatch`); products of 8 bits that read any order need no second copy on Blackwell where a tensor has one scale.
 * What a matrix multiplied is kept by columns alone, in place of its 16 bits; the core's output stays wide beside it, for its own backward.
 * With weights kept so there are no wide ones, and ranks gather them so; blocks of 32 are made of what was gathered in 16 bits
 * (megatron/core/distributed/param_and_grad_buffer.py: reuse_grad_buf_for_mxfp8_param_ag).
 */
export function narrowed(engine: Engine, format: Narrow, device: Device, spec: NarrowSpec | undefined): Engine {
  return quantised(engine, format, recipeOf(device, spec), hasBlockScales(device), spec?.weights === true);
}

/** The same by what decides it: the recipe, whether the device scales blocks itself, whether weights are kept so. */
export function quantised(engine: Engine, format: Narrow, recipe: string, blocks: boolean, weights: boolean): Engine {
  const each = elementOf(format, recipe);
  const isPlain = format === "fp8" && (recipe === "tensorwise" || recipe === "delayed");
  const copies = (isPlain && blocks ? 1 : 2) * each;
  const { kept } = engine;
  const saved = 2 - each;
  return {
    ...engine,
    format,
    ...(weights && recipe !== "mxfp8" ? { gathered: each } : {}),
    narrow: weights ? Math.max(0, copies - engine.states.weights) : copies,
    kept: {
      ...kept,
      stream: kept.stream - saved,
      // FlashAttention's second copy is what the projection reads; cuDNN's only one serves both.
      core: kept.core > 2 ? kept.core - saved : kept.core + each,
      plain: kept.plain - saved,
      gated: kept.gated - saved,
      read: each,
    },
  };
}
