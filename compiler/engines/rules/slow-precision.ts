import { precisionSlow } from "../../diagnostics/kernels.ts";
import type { Rule } from "../engine.ts";

/** So much more is worth a word: below it, what moves through memory decides. */
const worthwhile = 2;

/**
 * Nobody chose fp32, but the device has no bf16 and its fp16 is several times faster: a V100's 125 against 15.7 TFLOP/s, a T4's 65
 * against 8.1 (their data sheets).
 */
export const slowPrecision: Rule = {
  name: "slow-precision",
  source: "transformers training_args.py: fp16; megatron/training/arguments.py: --fp16",
  check: ({ precision: { value, span, origin } }, _, { device }) => {
    if (value !== "fp32" || origin.kind !== "default" || device.kind !== "gpu") return [];
    const { fp16, fp32 } = device.flops;
    if (fp32 === 0 || fp16 < worthwhile * fp32) return [];
    return [
      precisionSlow(span, { device: device.name, times: Math.round(fp16 / fp32) }, { valid: ["fp16", "fp32"] }),
    ];
  },
};
