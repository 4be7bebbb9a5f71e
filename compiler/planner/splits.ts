/** The ways in which an engine may split a model over the ranks of a cluster. */
import type { SizedModel } from "../plan.ts";
import type { Settings } from "../pipeline.ts";
import { allows } from "./allows.ts";
import { divisors } from "./divisors.ts";
import { unsplit, worldOf, type Setting, type Split } from "./setting.ts";

/**
 * Every split that divides what it splits and that the layout allows. Sizes that nobody named are held to what pays: tensor and
 * expert parallelism stay on the fast link of a node, sequences are split from 16 Ki tokens a rank on, pipelines have at most 16
 * stages and 4 chunks a stage (Narayanan et al. 2021, arXiv 2104.04473, sections 3 and 5.4; Megatron-LM parallelism guide).
 */
export function splits(setting: Setting, layout: Settings): Split[] {
  const { model, cluster, engine, sequence } = setting;
  const most = engine.capabilities.parallel;
  const world = worldOf(cluster);
  const ends = (model.pattern ?? "").length > 0 ? 1 : model.layers;
  const named = (property: keyof Split): boolean => layout.given.has(property) || layout.bounds.has(property);
  const sizes = (property: Exclude<keyof Split, "sequence_parallel">, of: number, usual: number): number[] =>
    divisors(of).filter(
      (size) =>
        size <= most[property] && allows(layout, property, size) && (named(property) || size <= Math.max(1, usual)),
    );

  const found: Split[] = [];
  for (const tensor_parallel of sizes("tensor_parallel", world, cluster.gpusPerNode)) {
    if (!dividesModel(model, tensor_parallel, sequence)) continue;
    for (const pipeline_parallel of sizes("pipeline_parallel", world / tensor_parallel, 16)) {
      // Who names an uneven pipeline may say to the engine how it is cut; its own rules judge that.
      if (model.layers % pipeline_parallel !== 0 && !layout.given.has("pipeline_parallel")) continue;
      const rest = world / (tensor_parallel * pipeline_parallel);
      for (const context_parallel of sizes("context_parallel", rest, sequence / 16384)) {
        if (sequence % (2 * context_parallel * tensor_parallel) !== 0 && context_parallel > 1) continue;
        const experts = model.moe?.experts ?? 1;
        for (const expert_parallel of sizes("expert_parallel", greatestCommon(rest * tensor_parallel, experts), 64)) {
          for (const virtual_pipeline of chunks(ends / pipeline_parallel, pipeline_parallel, sizes, layout)) {
            const sequence_parallel = tensor_parallel > 1 && layout.given.get("sequence_parallel")?.value !== false;
            const split = {
              tensor_parallel,
              pipeline_parallel,
              virtual_pipeline,
              context_parallel,
              expert_parallel,
              sequence_parallel,
            };
            if (allows(layout, "sequence_parallel", sequence_parallel)) found.push(split);
          }
        }
      }
    }
  }
  return found.length === 0 && Object.values(most).every((size) => size === 1) ? [unsplit] : found;
}

/** Chunks of layers that a rank of a pipeline may hold; one without a pipeline. */
function chunks(
  layers: number,
  pipeline: number,
  sizes: (property: "virtual_pipeline", of: number, usual: number) => number[],
  layout: Settings,
): number[] {
  const pinned = layout.given.get("virtual_pipeline")?.value;
  if (pipeline > 1 && layers >= 1 && typeof pinned === "number") return [pinned];
  const usual = pipeline > 1 && Number.isInteger(layers) ? 4 : 1;
  return sizes("virtual_pipeline", usual === 1 ? 1 : layers, usual);
}

/** Heads, feed-forward widths and, between the products, the sequence are cut into equal parts. */
function dividesModel(model: SizedModel, tensor: number, sequence: number): boolean {
  const widths = [
    model.heads,
    model.kv_heads,
    model.d_ff,
    model.ssm?.heads ?? 0,
    model.ssm?.groups ?? 0,
    (model.moe?.shared_experts ?? 0) * (model.moe?.shared_d_ff ?? 0),
    sequence,
  ];
  return widths.every((width) => width % tensor === 0);
}

function greatestCommon(a: number, b: number): number {
  return b === 0 ? a : greatestCommon(b, a % b);
}
