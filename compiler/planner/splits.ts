/** The ways in which an engine may split a model over the ranks of a cluster. */
import type { SizedModel } from "../plan.ts";
import type { Settings } from "../pipeline.ts";
import { allows } from "./allows.ts";
import { divisors } from "./divisors.ts";
import { isPattern, pipelineCut } from "./pipeline-cut.ts";
import { unsplit, worldOf, type Setting, type Split } from "./setting.ts";

/** Every split that the engine starts and that the layout allows: what pays is for the estimates to say. */
export function splits(setting: Setting, layout: Settings): Split[] {
  const { model, cluster, engine, sequence } = setting;
  const most = engine.capabilities.parallel;
  const world = worldOf(cluster);
  type Size = Exclude<keyof Split, "sequence_parallel">;
  const can = (property: Size, size: number): boolean => size <= most[property] && allows(layout, property, size);
  const sizes = (property: Size, of: number): number[] => divisors(of).filter((size) => can(property, size));
  const may = (way: boolean): boolean => allows(layout, "sequence_parallel", way);

  const found: Split[] = [];
  for (const tensor_parallel of sizes("tensor_parallel", world)) {
    const ways = tensorWays(model, tensor_parallel).filter(may);
    if (ways.length === 0 || indivisible(model, tensor_parallel).length > 0) continue;
    for (const pipeline_parallel of sizes("pipeline_parallel", world / tensor_parallel)) {
      const interleaved = chunks(model, pipeline_parallel, layout).filter((size) => can("virtual_pipeline", size));
      if (interleaved.length === 0) continue;
      const rest = world / (tensor_parallel * pipeline_parallel);
      for (const context_parallel of sizes("context_parallel", rest)) {
        if (context_parallel > 1 && sequence % (2 * context_parallel) !== 0) continue;
        const held = ways.filter((way) => !way || (sequence / context_parallel) % tensor_parallel === 0);
        if (held.length === 0) continue;
        const experts = greatestCommon(rest * tensor_parallel, model.moe?.experts ?? 1);
        for (const expert_parallel of sizes("expert_parallel", experts)) {
          for (const virtual_pipeline of interleaved) {
            for (const sequence_parallel of held) {
              found.push({
                tensor_parallel,
                pipeline_parallel,
                virtual_pipeline,
                context_parallel,
                expert_parallel,
                sequence_parallel,
              });
            }
          }
        }
      }
    }
  }
  return found.length === 0 && Object.values(most).every((size) => size === 1) ? [unsplit] : found;
}

/** With sequence parallelism or without; experts under tensor parallelism train with it only. */
function tensorWays({ moe }: SizedModel, tensor: number): boolean[] {
  if (tensor === 1) return [false];
  return moe === undefined ? [true, false] : [true];
}

/**
 * Chunks of layers that a rank of a pipeline may hold; one without a pipeline. Who names them may tell the engine in its own words how
 * they are cut: its rules judge that.
 */
function chunks(model: SizedModel, stages: number, layout: Settings): number[] {
  const pinned = layout.given.get("virtual_pipeline")?.value;
  if (typeof pinned === "number" && pinned > 1 && stages > 1)
    return model.layers >= stages && !isPattern(model) ? [pinned] : [];
  const most = stages === 1 ? 1 : Math.ceil((model.layers + 2) / stages);
  return Array.from({ length: most }, (_, at) => at + 1).filter((size) => pipelineCut(model, stages, size) !== null);
}

/** What tensor parallelism of this size would have to cut and cannot: `34 heads`. */
export function indivisible(model: SizedModel, tensor: number): string[] {
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
