/** Which splits an engine and the file allow, and the share of the layers that a stage holds at least. */
import { routedOf } from "../../models/routed.ts";
import type { Settings } from "../../pipeline.ts";
import { groundOf } from "../adapter/ground.ts";
import { allows } from "../allows.ts";
import { inFlightByChunk } from "../physics/in-flight.ts";
import { alone } from "../physics/layout.ts";
import { kindsOf } from "../physics/tally.ts";
import { pipelineCut } from "../pipeline-cut.ts";
import { piecesOf } from "../unequal-cuts.ts";
import type { Setting } from "../setting.ts";
import { chunksOf, mostOf, namesExpertTensor, sharesExperts, takesPipeline } from "../splits.ts";

export interface Reach {
  /** Ranks that experts, and sequences, can be shared out to. */
  readonly experts: number;
  readonly context: number;
  readonly tensor: number;
  readonly pipeline: number;
  readonly takes: (property: "tensor_parallel" | "pipeline_parallel", size: number) => boolean;
  /** Ranks that an expert's matrices can be shared out to. */
  readonly expertTensor: number;
  /** The share of the layers that the fullest of so many stages holds at least, and keeps for as many micro-batches as there are stages; `null` where there cannot be so many. */
  readonly shareOf: (stages: number) => number | null;
  /** What the engine's own words make of a layout is no business of a floor. */
  readonly isPlain: boolean;
}

/**
 * The share of the layers that the fullest of so many stages holds, and keeps for as many micro-batches as there are stages where a step has
 * no more.
 */
function fullestOf({ model: { layers }, engine, model }: Setting, stages: number, chunks: number): number {
  const cut = engine.pipelined === undefined ? pipelineCut(model, stages, chunks, engine.cuts) : null;
  if (cut === null || cut.kind === "even") return 1 / stages;
  const pieces = piecesOf(cut, layers, stages, chunks);
  const layout = { ...alone, pipeline: stages, chunks };
  let most = 0;
  for (let stage = 0; stage < stages; stage++) {
    const held = inFlightByChunk(layout, { count: stages }, stage).reduce(
      (sum, flying, chunk) => sum + flying * (pieces[chunk * stages + stage] ?? 0),
      0,
    );
    most = Math.max(most, held);
  }
  return most / stages / layers;
}

export function reachOf(setting: Setting, layout: Settings): Reach {
  const { family, model, sequence, engine, raw } = setting;
  const most = (size: Parameters<typeof mostOf>[2]): number => mostOf(setting, layout, size);
  // An engine that splits nothing has one layout, whatever is pinned of splits.
  const neverSplits = Object.values(engine.capabilities.parallel).every((size) => size === 1);
  const pipes = takesPipeline(setting, layout);
  const takes: Reach["takes"] = (property, size) =>
    neverSplits || (property === "pipeline_parallel" && !pipes)
      ? size === 1
      : size <= most(property) && allows(layout, property, size);
  const isPlain = raw === undefined || Object.keys(raw).length === 0;
  const isUniform = kindsOf(groundOf(setting).shape).length === 1;
  const fullest = (stages: number): number | null => {
    if (stages > model.layers || !takes("pipeline_parallel", stages)) return null;
    const chunks = neverSplits ? [1] : chunksOf(setting, layout, stages);
    if (chunks.length === 0) return null;
    if (!isPlain || !isUniform) return 1 / stages;
    return Math.min(...chunks.map((each) => fullestOf(setting, stages, each)));
  };
  const shares = new Map<number, number | null>();
  return {
    experts: sharesExperts(setting, layout)
      ? Math.min(routedOf(family, model)?.experts ?? 1, most("expert_parallel"))
      : 1,
    expertTensor: namesExpertTensor(layout)
      ? Math.min(routedOf(family, model)?.d_ff ?? 1, most("expert_tensor_parallel"))
      : 1,
    // What stands against one rank does so against any number.
    context: (engine.unshared?.(setting, 1).length ?? 0) > 0 ? 1 : Math.min(sequence, most("context_parallel")),
    tensor: most("tensor_parallel"),
    pipeline: pipes ? most("pipeline_parallel") : 1,
    takes,
    shareOf: (stages) => {
      let found = shares.get(stages);
      if (found === undefined) shares.set(stages, (found = fullest(stages)));
      return found;
    },
    isPlain,
  };
}
