/** What ranks of one replica hand each other in a step, in seconds, where nothing else hides it. */
import { layersOf } from "../models/measure.ts";
import { collectives, groupOf } from "./network.ts";
import type { Choice, Setting } from "./setting.ts";

export interface Exchanges {
  readonly tensor: number;
  readonly expert: number;
  readonly context: number;
  readonly pipeline: number;
}

/** Share of a transfer that computation hides where the engine overlaps them: keys and values of a ring, sends of a pipeline. */
const hidden = 0.7;

/**
 * Tensor parallelism gathers and scatters the stream twice a layer in each direction (Korthikanti et al. 2022, arXiv 2205.05198,
 * section 4.2.2), and once more where the forward is repeated. Experts send each token's copies and take them back. A ring of
 * sequence parts passes keys and values on. Stages hand one stream to the next for each chunk.
 */
export function exchanges(
  { family, model, engine, precision, cluster }: Setting,
  choice: Choice,
  tokens: number,
): Exchanges {
  const { accumulation, tensor_parallel: tensor, pipeline_parallel: stages, context_parallel: parts } = choice;
  const width = engine.widths(precision).compute;
  const stream = tokens * model.d_model * width;
  const passes = choice.recompute === "full" ? 3 : 2;
  const layers = layersOf(family, model);
  const count = (isOfKind: (layer: (typeof layers)[number]["layer"]) => boolean): number =>
    layers.reduce((sum, { layer, repeat }) => sum + (isOfKind(layer) ? repeat : 0), 0) / stages;
  const seconds = (payload: number, ranks: number, stride: number): number =>
    ranks === 1
      ? 0
      : accumulation *
        collectives(groupOf(cluster, ranks, stride), {
          all_reduce: 0,
          reduce_scatter: payload,
          all_gather: payload,
          host: 0,
        });
  const routed = (stream * (model.moe?.top_k ?? 0)) / tensor;
  const keys = (2 * tokens * model.kv_heads * model.head_dim * width) / tensor;
  const sends = stages === 1 ? 0 : (2 * accumulation * choice.virtual_pipeline * stream) / tensor;
  const isNear = tensor * parts * stages <= cluster.gpusPerNode;
  return {
    tensor: seconds(2 * passes * stream * count(() => true), tensor, 1),
    expert: seconds(
      passes * routed * count(({ tensors }) => tensors.some((one) => one.routed)),
      choice.expert_parallel,
      1,
    ),
    context:
      (1 - hidden) *
      seconds(passes * keys * parts * count(({ attention }) => attention !== undefined), parts, tensor),
    pipeline: ((1 - hidden) * sends) / (isNear ? cluster.link : cluster.network / cluster.gpusPerNode),
  };
}
