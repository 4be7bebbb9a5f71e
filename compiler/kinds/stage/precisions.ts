import type { Constructor, Type } from "../../../dsl/kind.ts";
import { bool, choice, enumeration } from "../../../dsl/types/type.ts";

const plain = (doc: string): Constructor => ({ doc, parameters: {} });

/** Arithmetic of matrix products. The narrow ones need an engine and a device that have them. */
export const precisions: Type = choice(
  "precision",
  {
    fp32: plain("32 bits"),
    bf16: plain("16 bits with the range of 32"),
    fp16: plain("16 bits with a scaled loss"),
    fp8: {
      doc: "products in 8 bits, everything else as in bf16 (Micikevicius et al. 2022)",
      runs: false,
      parameters: {
        recipe: {
          type: enumeration("scaling", ["tensorwise", "delayed", "blockwise", "mxfp8"]),
          doc: "the values that share a scale; by default `mxfp8` on Blackwell and later, `tensorwise` before",
        },
        weights: {
          type: bool,
          doc: "whether weights are also stored and gathered in 8 bits; the optimizer's master weights stay in 32 bits",
          default: "false",
        },
      },
    },
    fp4: { doc: "products in 4 bits (NVFP4), everything else as in bf16", runs: false, parameters: {} },
  },
  {
    bfloat16: "bf16",
    bf16_mixed: "bf16",
    "bf16-mixed": "bf16",
    "bf16-true": "bf16",
    "16-mixed": "fp16",
    "16-true": "fp16",
    "32-true": "fp32",
    float16: "fp16",
    half: "fp16",
    f16: "fp16",
    float32: "fp32",
    float: "fp32",
    full: "fp32",
    single: "fp32",
    f32: "fp32",
    float8: "fp8",
    nvfp4: "fp4",
  },
);
