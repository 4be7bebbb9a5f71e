import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { batchOf } from "../../passes/resolve/batch.ts";
import { lengthOf } from "../../passes/resolve/length.ts";
import { blockAt, valued } from "../../passes/resolve/read.ts";
import { sequenceOf } from "../../passes/resolve/settled.ts";
import { trainedTokens } from "../../passes/resolve/trained-tokens.ts";
import { stepsIn } from "../../planner/steps-in.ts";

/** What a stage's own words say of how long it trains, counted as the plan will; `null` is what they leave open, or have wrong. */
export interface WrittenLength {
  readonly steps: number | null;
  readonly tokensPerStep: number | null;
  /** What is left to the plan, where that is why. */
  readonly open: "batch" | "tokens" | null;
}

export function writtenLength(stage: Instance): WrittenLength {
  // What is wrong in the length is told where the stage is resolved.
  const length = lengthOf(stage, () => undefined)?.value;
  if (length === undefined) return { steps: null, tokensPerStep: null, open: null };
  const { samples, tokens: tokensPerStep, open } = writtenBatch(stage);
  if (length.unit === "steps") return { steps: length.value, tokensPerStep, open };
  if (samples === null || tokensPerStep === null) return { steps: null, tokensPerStep, open };
  const data = blockAt(stage, "data");
  const counted = stepsIn(length, samples, tokensPerStep, data === null ? null : trainedTokens(data));
  if (counted === null) return { steps: null, tokensPerStep, open: "tokens" };
  const steps = Math.ceil(counted);
  return { steps: steps >= 1 && Number.isFinite(steps) ? steps : null, tokensPerStep, open };
}

/** Samples and tokens of a step. */
function writtenBatch(stage: Instance): {
  readonly samples: number | null;
  readonly tokens: number | null;
  readonly open: "batch" | null;
} {
  const [data, model] = [blockAt(stage, "data"), blockAt(stage, "model")];
  const batch = valued(stage, "batch");
  const unread = { samples: null, tokens: null, open: null };
  if (data === null || model === null || batch.value.kind === "unknown") return unread;
  const sequence = sequenceOf(stage, model, data).value;
  const { unit, value } = batchOf(stage, batch, sequence).batch.value;
  if (unit === "auto") return { ...unread, open: "batch" };
  const samples = unit === "tokens" ? value / sequence : value;
  return Number.isInteger(samples) && samples >= 1 ? { samples, tokens: samples * sequence, open: null } : unread;
}
