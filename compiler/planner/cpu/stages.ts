/** What each rank of a pipeline has of a model, on machines without a GPU: layers are dealt out evenly, the first stages take what is left. */
import { extent, holds, layersOf } from "../../models/measure.ts";
import type { Tensor } from "../../models/family.ts";
import { replicasOf, worldOf, type Choice, type Setting } from "../setting.ts";

export interface StagePart {
  readonly index: number;
  /** Of the model's layers. */
  readonly share: number;
  /** Of the whole model where it is in one piece. */
  readonly parameters: number | null;
  readonly last: boolean;
  /** Micro-batches whose activations it holds at once (1F1B). */
  readonly flying: number;
  /** Ranks that hold the same. */
  readonly ranks: number;
}

export function stageParts(setting: Setting, choice: Choice): readonly StagePart[] {
  const { family, model, cluster } = setting;
  const stages = choice.pipeline_parallel;
  if (stages === 1) return [{ index: 0, share: 1, parameters: null, last: true, flying: 1, ranks: worldOf(cluster) }];
  const sum = (tensors: readonly Tensor[]): number =>
    tensors.filter(({ when }) => holds(model, when)).reduce((all, { shape }) => all + extent(model, shape), 0);
  const layers = layersOf(family, model).reduce((all, { layer, repeat }) => all + repeat * sum(layer.tensors), 0);
  return Array.from({ length: stages }, (_, index) => {
    const last = index === stages - 1;
    const share = (Math.floor(model.layers / stages) + (index < model.layers % stages ? 1 : 0)) / model.layers;
    // The last stage has its own copy of a table that embedding and head share.
    const ends = (index === 0 ? sum(family.before) : 0) + (last ? sum(family.after) : 0);
    return {
      index,
      share,
      parameters: share * layers + ends,
      last,
      flying: Math.min(stages - index, choice.accumulation),
      ranks: replicasOf(cluster, choice),
    };
  });
}
