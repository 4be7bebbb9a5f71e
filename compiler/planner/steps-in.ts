import type { Length } from "../pipeline.ts";

/** Optimizer steps of a length, not yet rounded; `null` for epochs of data that nobody counted. */
export function stepsIn(
  { value, unit }: Length,
  samples: number,
  tokensPerStep: number,
  tokensOfEpoch: number | null,
): number | null {
  switch (unit) {
    case "steps":
      return value;
    case "tokens":
      return value / tokensPerStep;
    case "samples":
      return value / samples;
    case "epochs":
      return tokensOfEpoch === null ? null : (value * tokensOfEpoch) / tokensPerStep;
  }
}
