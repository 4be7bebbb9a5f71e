/** How many samples an optimizer step sees where the file leaves it open. */
import type { Origin } from "../../../dsl/eval/origin.ts";
import { families } from "../../models/index.ts";
import { flopsPerToken } from "../../models/measure.ts";
import type { Bound, ClusterSpec, Pipeline, StageStep } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import { worldOf } from "../../planner/setting.ts";
import { admits, boundText } from "../size/bounds.ts";
import { count } from "../size/count.ts";
import { replicasAtLeast } from "./batch.ts";

/** The best batch of a compute budget, in tokens: `0.2920 * C^0.3271` (DeepSeek LLM, arXiv 2401.02954, section 3.1). */
const factor = 0.292;
const exponent = 0.3271;
const source = "DeepSeek LLM, arXiv 2401.02954, section 3.1";

/** The batch as if it had been written, in samples. A length that nobody can turn into tokens leaves one sample to each rank. */
export function sizedBatch(
  stage: StageStep,
  model: SizedModel,
  pipeline: Pipeline,
  cluster: ClusterSpec,
): StageStep["batch"] {
  const sequence = stage.sequence.value;
  const head = 6 * model.d_model * model.vocab;
  const { model: all } = flopsPerToken(families[model.family], model, sequence, "none");
  const perToken = Math.max(1, all - head);
  const { tokens, flops } = best(stage, pipeline, perToken);
  const bound = stage.batchBound;
  const unit = unitOf(stage, cluster);
  const samples = rounded(tokens / sequence, unit, bound);
  const off = admits(bound, rounded(tokens / sequence, unit, undefined))
    ? ""
    : `; within batch ${bound === undefined ? "" : boundText(bound)} samples`;
  const reason =
    `${count(Math.round(tokens))} tokens are 0.2920 * C^0.3271 of the ${flops.toPrecision(3)} FLOPs outside the embedding tables (${source}), ` +
    `as ${unit === 1 ? "a power of two" : `${unit} samples times a power of two, for ranks and micro-batches`}${off}`;
  const origin: Origin = { kind: "chosen", by: "sizer", reason };
  return { ...stage.batch, value: { unit: "samples", value: samples }, origin };
}

/** Steps and samples are lengths of which the batch decides how many tokens they are: the law is solved for it. */
function best(stage: StageStep, pipeline: Pipeline, perToken: number): { tokens: number; flops: number } {
  const { value, unit } = stage.length.value;
  if (unit === "steps") {
    const tokens = (factor * (perToken * value) ** exponent) ** (1 / (1 - exponent));
    return { tokens, flops: perToken * value * tokens };
  }
  const data = pipeline.steps.find((step) => step.kind === "data" && step.name === stage.data);
  const held = data?.kind === "data" ? (data.trained ?? 0) : 0;
  const all = { tokens: value, samples: value * stage.sequence.value, epochs: value * held }[unit];
  const flops = perToken * all;
  return { tokens: factor * flops ** exponent, flops };
}

/** What the batch is a multiple of: the ranks and a micro-batch that was written, and what of the devices is no power of two. */
function unitOf(stage: StageStep, cluster: ClusterSpec): number {
  const micro = stage.layout.given.get("micro_batch")?.value;
  const held = typeof micro === "number" && Number.isInteger(micro) && micro > 0 ? micro : 1;
  const ranks = replicasAtLeast(stage, cluster);
  let odd = worldOf(cluster);
  while (odd > 1 && odd % 2 === 0) odd /= 2;
  return held * (ranks % odd === 0 ? ranks : ranks * odd);
}

/** The unit times a power of two next to what is wanted; within the bound, another multiple where no such is. */
function rounded(wanted: number, unit: number, bound: Bound | undefined): number {
  const power = Math.max(0, Math.round(Math.log2(Math.max(1, wanted) / unit)));
  const powers = Array.from({ length: power + 1 }, (_, i) => unit * 2 ** (power - i));
  const next = Array.from({ length: 12 }, (_, i) => unit * 2 ** (power + 1 + i));
  const found = [...powers, ...next].find((samples) => admits(bound, samples));
  if (found !== undefined) return found;
  const least = Math.ceil((bound?.min ?? 1) / unit) * unit;
  const most = Math.floor((bound?.max ?? least) / unit) * unit;
  const between = [least, most].find((samples) => samples > 0 && admits(bound, samples));
  // Nothing that ranks share is within the bound: what is refused is the bound itself.
  const named = bound?.oneOf?.find((one): one is number => typeof one === "number");
  return between ?? named ?? Math.max(1, Math.floor(bound?.max ?? unit));
}
