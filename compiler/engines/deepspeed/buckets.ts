import { layerParametersOf } from "../../models/measure.ts";
import { families } from "../../models/index.ts";
import type { SizedModel } from "../../plan.ts";

export interface Buckets {
  /** Elements reduced or gathered at once (`reduce_bucket_size`, `allgather_bucket_size`). */
  readonly reduce: number;
  readonly prefetch: number;
  readonly persistence: number;
}

/**
 * About one layer to a bucket, as a power of two between 1 Mi and 128 Mi elements: big enough for the links, small
 * enough not to show in memory (DeepSpeed's own 500 M elements are 1 GB in bf16). Prefetch and persistence follow
 * transformers, integrations/deepspeed.py: trainer_config_finalize (0.9 h^2 and 10 h).
 */
export function bucketsOf(layer: number, dModel: number): Buckets {
  const power = 2 ** Math.ceil(Math.log2(Math.max(1, layer)));
  return {
    reduce: Math.min(2 ** 27, Math.max(2 ** 20, power)),
    prefetch: Math.round(0.9 * dModel * dModel),
    persistence: 10 * dModel,
  };
}

export function bucketsOfModel(model: SizedModel): Buckets {
  return bucketsOf(layerParametersOf(families[model.family], model), model.d_model);
}
