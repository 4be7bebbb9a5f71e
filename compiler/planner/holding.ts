import type { Family } from "../models/family.ts";
import { tensorsOf } from "../models/measure.ts";
import type { SizedModel } from "../plan.ts";
import type { Setting, Split } from "./setting.ts";

/** Parameters on one rank. */
export interface Holding {
  readonly parameters: number;
  /** Those of them that belong to experts spread over ranks. */
  readonly experts: number;
}

/**
 * What a rank of one pipeline stage holds: its share of the layers, the embedding on the first stage, the head on the last. A tied
 * head is a copy of the embedding where they lie apart (Megatron-LM core/models/common/language_module: share embeddings between
 * the first and last stage). Tensors are cut along the axes that their families name; experts are spread whole.
 */
export function holdingOf({ family, model }: Setting, split: Split, stage: number): Holding {
  const stages = split.pipeline_parallel;
  if (stages * split.tensor_parallel * split.expert_parallel === 1) {
    return { parameters: model.parameters.total, experts: 0 };
  }
  const { first, layers, last, experts } = sums(family, model, split);
  const copy = model.tied && stages > 1 ? first : 0;
  const ends = (stage === 0 ? first : 0) + (stage === stages - 1 ? last + copy : 0);
  return { parameters: (layers + experts) / stages + ends, experts: experts / stages };
}

interface Sums {
  readonly first: number;
  readonly layers: number;
  readonly last: number;
  readonly experts: number;
}

/** Kept by model: a search asks for the same few splits thousands of times. */
const known = new WeakMap<SizedModel, Map<string, Sums>>();

function sums(family: Family, model: SizedModel, split: Split): Sums {
  const key = `${split.tensor_parallel} ${split.expert_parallel}`;
  const ofModel = known.get(model) ?? new Map<string, Sums>();
  known.set(model, ofModel);
  const found = ofModel.get(key);
  if (found !== undefined) return found;
  const total = { first: 0, layers: 0, last: 0, experts: 0 };
  const before = new Set(family.before);
  const after = new Set(family.after);
  for (const { tensor, repeat, elements, owned } of tensorsOf(family, model)) {
    if (!owned) continue;
    const routed = tensor.routed === true;
    const isCut = tensor.split?.includes("tensor") === true && !routed;
    const parts = routed ? split.expert_parallel : isCut ? split.tensor_parallel : 1;
    const place = before.has(tensor) ? "first" : after.has(tensor) ? "last" : routed ? "experts" : "layers";
    total[place] += (repeat * elements) / parts;
  }
  ofModel.set(key, total);
  return total;
}
