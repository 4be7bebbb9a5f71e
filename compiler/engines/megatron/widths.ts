import type { Widths } from "../../models/measure.ts";
import type { Precision } from "../engine.ts";

/** The whole model is cast, the residual stream too (megatron/core/transformer/module.py: Float16Module). */
export function widths(precision: Precision): Widths {
  return precision === "fp32" ? { compute: 4, residual: 4 } : { compute: 2, residual: 2 };
}
