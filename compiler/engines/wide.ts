import type { Precision } from "../pipeline.ts";

/** The type of whatever a narrow precision leaves alone: all but the products of the blocks. */
export function wideOf(precision: Precision): "fp32" | "bf16" | "fp16" {
  return precision === "fp8" || precision === "fp4" ? "bf16" : precision;
}
