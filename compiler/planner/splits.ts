/** The ways in which an engine may split a model over the ranks of a cluster. */
import { routedOf } from "../models/routed.ts";
import type { SizedModel } from "../plan.ts";
import type { Settings } from "../pipeline.ts";
import { allows } from "./allows.ts";
import { divisors } from "./divisors.ts";
import { isPattern, pipelineCut } from "./pipeline-cut.ts";
import { unsplit, worldOf, type Setting, type Split } from "./setting.ts";

/** Splits that only their pipelines tell apart: all of them cut a layer alike. */
export interface Cut extends Omit<Split, "pipeline_parallel" | "virtual_pipeline"> {
  readonly pipelines: readonly number[];
}

type Size = Exclude<keyof Split, "sequence_parallel">;

/** The largest size of a split that the engine and the layout let be chosen. */
export function mostOf({ engine }: Setting, layout: Settings, property: Size): number {
  const { parallel } = engine.capabilities;
  const pinned = layout.given.get(property)?.value;
  const bound = layout.bounds.get(property)?.max ?? Infinity;
  return Math.min(parallel[property], bound, typeof pinned === "number" ? pinned : Infinity);
}

/** Every split that the engine starts and that the layout allows: what pays is for the estimates to say. */
export function cutsOf(setting: Setting, layout: Settings, asNamed = false): Cut[] {
  const { family, model, cluster, engine, sequence } = setting;
  const world = worldOf(cluster);
  const sizes = (property: Size, of: number): number[] => {
    const limit = mostOf(setting, layout, property);
    return divisors(of).filter((size) => size <= limit && allows(layout, property, size));
  };
  const pipes = takesPipeline(setting, layout);
  const chunked = sizes("pipeline_parallel", world).filter(
    (stages) => (stages === 1 || pipes) && chunksOf(setting, layout, stages, asNamed).length > 0,
  );
  const shares = sharesExperts(setting, layout);
  const routed = routedOf(family, model);
  const experts = sizes("expert_parallel", greatestCommon(world, routed?.experts ?? 1)).filter(
    (ranks) => ranks === 1 || shares,
  );

  const sharing = sizes("expert_tensor_parallel", namesExpertTensor(layout) ? world : 1).filter(
    (ranks) => ranks === 1 || cutsExperts(setting, ranks),
  );
  const expertGrids = experts.flatMap((expert_parallel) =>
    sharing.map((expert_tensor_parallel) => ({ expert_parallel, expert_tensor_parallel })),
  );

  const found: Cut[] = [];
  const held = { ...model, moe: routed };
  for (const tensor_parallel of sizes("tensor_parallel", world)) {
    const ways = tensorWays(routed, tensor_parallel).filter((way) => allows(layout, "sequence_parallel", way));
    if (ways.length === 0 || indivisible(held, tensor_parallel).length > 0) continue;
    for (const context_parallel of sizes("context_parallel", world / tensor_parallel)) {
      if (context_parallel > 1 && (engine.unshared?.(setting, context_parallel).length ?? 0) > 0) continue;
      const rest = world / (tensor_parallel * context_parallel);
      const alone = context_parallel === 1 || engine.pipelined === undefined;
      const fitting = chunked.filter((stages) => rest % stages === 0 && (stages === 1 || alone));
      for (const grid of expertGrids) {
        const { expert_parallel, expert_tensor_parallel } = grid;
        if (expert_parallel > 1 && context_parallel > 1 && engine.sharedExperts !== undefined) continue;
        const expertRanks = expert_parallel * expert_tensor_parallel;
        const pipelines = fitting.filter((stages) => (world / stages) % expertRanks === 0);
        if (pipelines.length === 0) continue;
        for (const sequence_parallel of ways) {
          if (sequence_parallel && (sequence / context_parallel) % tensor_parallel !== 0) continue;
          found.push({ tensor_parallel, context_parallel, ...grid, sequence_parallel, pipelines });
        }
      }
    }
  }
  if (found.length > 0 || Object.values(engine.capabilities.parallel).some((size) => size > 1)) return found;
  const { pipeline_parallel, virtual_pipeline, ...whole } = unsplit;
  return [{ ...whole, pipelines: [pipeline_parallel * virtual_pipeline] }];
}

/** Ranks that share an expert's matrices gain little where others may share the experts: they are tried where the layout speaks of them. */
export function namesExpertTensor({ given, bounds }: Settings): boolean {
  return given.has("expert_tensor_parallel") || bounds.has("expert_tensor_parallel");
}

/** Whether so many ranks share an expert's matrices evenly; Megatron cuts none that have biases (transformer_config.py). */
function cutsExperts({ family, model }: Setting, ranks: number): boolean {
  const routed = routedOf(family, model);
  return routed !== undefined && !model.bias && routed.d_ff % ranks === 0;
}

/** With sequence parallelism or without; experts under tensor parallelism train with it only. */
function tensorWays(routed: SizedModel["moe"], tensor: number): boolean[] {
  if (tensor === 1) return [false];
  return routed === undefined ? [true, false] : [true];
}

/** Chunks of layers that a rank of a pipeline may hold; one without a pipeline. What is named may be taken `asNamed`. */
export function chunksOf({ model, engine }: Setting, layout: Settings, stages: number, asNamed = false): number[] {
  const can = (size: number): boolean =>
    size <= engine.capabilities.parallel.virtual_pipeline && allows(layout, "virtual_pipeline", size);
  const pinned = layout.given.get("virtual_pipeline")?.value;
  if (asNamed && typeof pinned === "number" && pinned > 1 && stages > 1)
    return can(pinned) && model.layers >= stages && !isPattern(model) ? [pinned] : [];
  const named = typeof pinned === "number" && (pinned === 1 || stages > 1) ? [pinned] : [];
  const sizes = [...new Set([...pieces(model.layers, stages), ...named])];
  return sizes.filter((size) => can(size) && isCut({ model, engine }, stages, size));
}

/** Chunks that pay: one, or equal ones, with the embedding and the loss counted as layers or not. */
function pieces(layers: number, stages: number): number[] {
  if (stages === 1) return [1];
  const equal = [layers, layers + 1, layers + 2].flatMap((all) => (all % stages === 0 ? divisors(all / stages) : []));
  return [...new Set([1, ...equal])].sort((a, b) => a - b);
}

/** Does the engine deal out the layers of this model to so many stages of so many chunks? */
export function isCut({ model, engine }: Pick<Setting, "model" | "engine">, stages: number, chunks: number): boolean {
  if (engine.pipelined !== undefined) return stages <= model.layers;
  return pipelineCut(model, stages, chunks, engine.cuts) !== null;
}

/** Does a pipeline go with what else the layout says, and with the model? */
export function takesPipeline({ engine: { pipelined }, model, tuning, compile }: Setting, layout: Settings): boolean {
  if (layout.given.get("offload")?.value === "activations") return false;
  if (pipelined === undefined) return true;
  const { zero_stages, offload, uncut } = pipelined;
  return (
    zero_stages.some((stage) => allows(layout, "zero_stage", stage)) &&
    offload.some((place) => allows(layout, "offload", place)) &&
    uncut({ model, compile, ...(tuning === undefined ? {} : { tuning }) }).length === 0
  );
}

/** Do ranks that share experts go with what else the layout says, and with the model? */
export function sharesExperts(
  { engine: { sharedExperts }, model, tuning, compile }: Setting,
  layout: Settings,
): boolean {
  if (sharedExperts === undefined) return true;
  const { zero_stages, offload, unfound } = sharedExperts;
  return (
    zero_stages.some((stage) => allows(layout, "zero_stage", stage)) &&
    offload.some((place) => allows(layout, "offload", place)) &&
    unfound({ model, compile, ...(tuning === undefined ? {} : { tuning }) }).length === 0
  );
}

/** What tensor parallelism of this size would have to cut and cannot: `34 heads`. */
export function indivisible(
  model: Pick<SizedModel, "heads" | "kv_heads" | "d_ff" | "ssm" | "mla"> & {
    readonly moe?: SizedModel["moe"] | undefined;
  },
  tensor: number,
): string[] {
  const { heads, kv_heads, d_ff, ssm, moe, mla } = model;
  const widths: readonly (readonly [name: string, width: number])[] = [
    ["heads", heads],
    ["d_ff", d_ff],
    ["ssm.heads", ssm?.heads ?? 0],
    ["ssm.groups", ssm?.groups ?? 0],
    ["the shared experts' width", (moe?.shared_experts ?? 0) * (moe?.shared_d_ff ?? 0)],
  ];
  const uncut = widths.filter(([, width]) => width % tensor !== 0).map(([name, width]) => `${name} ${width}`);
  // Ranks hold equally many key-value heads, or equally many ranks share one.
  const grouped = mla === undefined && kv_heads % tensor !== 0 && tensor % kv_heads !== 0;
  return grouped ? [...uncut, `kv_heads ${kv_heads}`] : uncut;
}

export function greatestCommon(a: number, b: number): number {
  return b === 0 ? a : greatestCommon(b, a % b);
}
