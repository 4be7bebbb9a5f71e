import type { Diagnostic, Fix } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import { scales } from "../../../dsl/types/units.ts";
import { batchDivisibility, batchTokens } from "../../diagnostics/batch.ts";
import { sizeBounds } from "../../diagnostics/size.ts";
import { splitsModel } from "../../engines/engine.ts";
import { engines } from "../../engines/index.ts";
import type { ClusterSpec, EngineName, StageStep } from "../../pipeline.ts";
import { nearestMultiples } from "../../planner/batch.ts";
import { admits, boundText } from "../size/bounds.ts";
import { worldOf } from "../../planner/setting.ts";
import { leastOf } from "./candidates.ts";

export interface SampledBatch {
  /** Samples per optimizer step; `null` where no ranks share them out. */
  readonly samples: number | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** The batch in samples. */
export function batchOf(stage: StageStep, cluster: ClusterSpec): SampledBatch {
  const { batch, sequence } = stage;
  const { value, unit } = batch.value;
  const related = [{ message: `samples are ${sequence.value} tokens long`, span: sequence.span }];
  if (unit === "tokens" && value % sequence.value !== 0) {
    const nearest = nearestMultiples(value, sequence.value);
    const diagnostic = batchTokens(
      batch.span,
      { tokens: value, sequence: sequence.value, nearest: nearest.join(", ") },
      {
        related,
        valid: nearest.map((n) => `${n} tokens`),
        fixes: [...inBinary(stage), ...replacing(stage, nearest, "tokens")],
      },
    );
    return { samples: null, diagnostics: [diagnostic] };
  }
  const samples = unit === "tokens" ? value / sequence.value : value;
  if (batch.origin.kind !== "chosen" && !admits(stage.batchBound, samples) && stage.batchBound !== undefined) {
    const slots = {
      property: "batch",
      value: `${samples} samples`,
      bound: boundText(stage.batchBound),
      origin: batch.origin.kind,
    };
    const told = stage.batchBound.spans.map((at) => ({ message: "the bound is given here", span: at }));
    return { samples: null, diagnostics: [sizeBounds(batch.span, slots, { related: told })] };
  }
  return samples > 0 && Number.isInteger(samples)
    ? { samples, diagnostics: [] }
    : { samples: null, diagnostics: undivided(stage, cluster, samples) };
}

/**
 * Why ranks and micro-batches do not share out so many samples, where they do not. `tried`: engines of which no layout takes them;
 * `microsOf`: micro-batches that some layout would take.
 */
export function undivided(
  stage: StageStep,
  cluster: ClusterSpec,
  samples: number,
  tried: readonly EngineName[] = [],
  microsOf: () => readonly string[] = () => [],
): readonly Diagnostic[] {
  const { batch, sequence } = stage;
  const { value, unit } = batch.value;
  const ranks = replicasAtLeast(stage, cluster);
  const pin = stage.layout.given.get("micro_batch");
  const micro = typeof pin?.value === "number" && Number.isInteger(pin.value) && pin.value > 0 ? pin.value : null;
  const product = ranks * (micro ?? 1);
  if (samples > 0 && Number.isInteger(samples)) {
    // Where no micro-batch of that size could be, the batch is not what to change: the layout is refused.
    const isPinned = product > samples && samples % ranks === 0;
    if (samples % product === 0 || isPinned) return [];
  }

  const each = unit === "tokens" ? sequence.value : 1;
  const nearest = nearestMultiples(samples, product).map((n) => n * each);
  const micros = micro === null ? [] : microsOf();
  const origin = {
    message:
      ranks === worldOf(cluster)
        ? `${cluster.nodes} x ${cluster.gpusPerNode} = ${ranks} ranks of ${cluster.name}`
        : `${cluster.nodes} x ${cluster.gpusPerNode} ranks of ${cluster.name} make at least ${ranks} replica${ranks === 1 ? "" : "s"}`,
    span: cluster.span,
  };
  const diagnostic = batchDivisibility(
    batch.span,
    {
      batch: samples,
      given: `${value} ${unit}`,
      ranks,
      micro,
      nearest: nearest.join(", "),
      micros: micros.join(", "),
      tried: stage.engine === null ? new Intl.ListFormat("en", { type: "disjunction" }).format(tried) : "",
    },
    {
      related: [
        // A cluster that nobody wrote has no place to show.
        ...(cluster.span.end > cluster.span.start ? [origin] : []),
        ...(pin === undefined ? [] : [{ message: `micro_batch = ${String(pin.value)}`, span: pin.span }]),
      ],
      valid: nearest.map((n) => `${n} ${unit}`),
      fixes: replacing(stage, nearest, unit),
    },
  );
  return [diagnostic];
}

/** Replicas that the batch is shared out to: all ranks, or what the layout leaves of them where the model may be split. */
export function replicasAtLeast({ engine, layout }: StageStep, cluster: ClusterSpec): number {
  const world = worldOf(cluster);
  const sizes = splitSizes.map((size) => leastOf({ layout }, size));
  const asked = sizes.some((size) => size > 1);
  if (engine === null && !asked) return world;
  const splits = engine === null || splitsModel(engines[engine.value]);
  if (splits && splitSizes.some((size) => !layout.given.has(size))) return 1;
  const replicas = world / sizes.reduce((product, size) => product * size, 1);
  return Number.isInteger(replicas) ? replicas : 1;
}
const splitSizes = ["tensor_parallel", "pipeline_parallel", "context_parallel"] as const;

/** Who writes `4M tokens` of samples of 8192 often means 4Mi, who writes `500K` means 512Ki: of both the one that more ranks share. */
function inBinary({ batch, sequence }: StageStep): Fix[] {
  const { source, start, end } = batch.span;
  const [, count = "", scale = ""] = /^([\d_.]+)([KMT])\s*tokens$/.exec(source.text.slice(start, end)) ?? [];
  if (batch.origin.kind !== "written" || count === "") return [];
  const each = scales[`${scale as "K" | "M" | "T"}i`];
  const same = Number(count.replaceAll("_", "")) * each;
  const [best] = [same, 2 ** Math.round(Math.log2(batch.value.value))]
    .filter((tokens) => tokens % sequence.value === 0 && Math.abs(tokens / batch.value.value - 1) < closeBy)
    .toSorted((a, b) => twosIn(b / sequence.value) - twosIn(a / sequence.value));
  return best === undefined ? [] : [replacement(batch.span, `${best / each}${scale}i tokens`)];
}

/** Further off than `1Mi` is from `1M` is another batch. */
const closeBy = 0.05;

/** The largest power of two that divides a whole number. */
function twosIn(whole: number): number {
  return whole % 2 === 0 ? 2 * twosIn(whole / 2) : 1;
}

/** Fixes that write another batch; only where the batch itself was written. */
function replacing({ batch }: StageStep, values: readonly number[], unit: string): Fix[] {
  if (batch.origin.kind !== "written") return [];
  return values.map((value) => ({
    title: `use batch = ${value} ${unit}`,
    edits: [{ span: batch.span, newText: `${value} ${unit}` }],
  }));
}
