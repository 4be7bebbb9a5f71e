import type { Setting } from "./setting.ts";

/**
 * A checkpoint that resumes exactly: weights, and fp32 weights with two moments where the engine keeps masters
 * (DeepSpeed, Megatron), two moments where the weights are fp32 themselves (torch).
 */
export function checkpointBytes({ model, engine, precision }: Setting): number {
  const p = model.parameters.total;
  if (engine.widths(precision).residual === 4) return 12 * p;
  return (2 + 12) * p;
}
