import type { Type } from "../../../dsl/kind.ts";
import { choice, integer, number, quantity } from "../../../dsl/types/type.ts";

/** Keeps small fp16 gradients from vanishing; a plugin with `role = scaler` is one more. */
export const scalers: Type = choice("scaler", {
  dynamic: {
    doc: "a factor that grows until gradients overflow, then halves",
    runs: false,
    parameters: {
      initial: { type: number({ min: 1 }), doc: "the factor at the start", default: "65536" },
      growth: {
        type: quantity([{ step: 1 }], { integer: true, min: 1 }),
        doc: "good steps before it doubles",
        default: "2000 steps",
      },
    },
  },
  fixed: {
    doc: "one factor throughout",
    runs: false,
    parameters: { by: { type: integer({ min: 1 }), doc: "the factor", required: true } },
    positional: ["by"],
  },
});
