import type { TrainConfig } from "../bundle/programs.ts";
import type { Tensor } from "../models/family.ts";
import { families } from "../models/index.ts";
import { extent, holds, layerAt, tensorsOf, trainableOf } from "../models/measure.ts";
import type { StageStep, TuningSpec } from "../pipeline.ts";
import type { SizedModel, StagePlan } from "../plan.ts";
import { frozenLayers } from "../planner/adapter/frozen-layers.ts";
import { isAdapted } from "../planner/adapter/parts.ts";

/** What the training program trains, where that is not all of a model. */
export function trainerTuning({ tuning }: StageStep, { model }: StagePlan): Pick<TrainConfig, "tuning"> {
  if (tuning === undefined) return {};
  const { adapters, freeze } = tuning;
  const common = { layers: frozenLayers(freeze, model.layers), tables: freeze?.tables === true };
  if (adapters === null) return { tuning: { adapters, ...common, parameters: unfrozen(model, freeze) } };
  const { rank, alpha, dropout } = adapters;
  const { modules, parameters } = adaptedMatrices(model, tuning);
  return {
    tuning: { adapters: { rank, alpha, dropout, modules, parameters }, ...common, parameters: added(model, tuning) },
  };
}

/** The matrices that get adapters, as the classes of a family name them within a layer: those of modules, and bare ones. */
export function adaptedMatrices(
  model: SizedModel,
  tuning: TuningSpec,
): { readonly modules: readonly string[]; readonly parameters: readonly string[] } {
  const names = [...new Set(adapted(model, tuning).map(({ name }) => name))];
  const isModule = (name: string): boolean => name.endsWith(".weight");
  return {
    modules: names.filter(isModule).map((name) => name.slice(0, -".weight".length)),
    parameters: names.filter((name) => !isModule(name)),
  };
}

/** Layer by layer. */
function adapted(model: SizedModel, { adapters, freeze }: TuningSpec): readonly Tensor[] {
  const tensors = layersFrom(model, frozenLayers(freeze, model.layers), model.layers);
  return tensors.filter((one) => one.role === "matrix" && isAdapted(one, adapters?.targets ?? []));
}

function layersFrom(model: SizedModel, from: number, to: number): readonly Tensor[] {
  return Array.from(
    { length: to - from },
    (_, at) => layerAt(families[model.family], model, from + at)?.tensors ?? [],
  )
    .flat()
    .filter(({ when }) => holds(model, when));
}

/** One matrix of as many rows as `rank` for what goes in, one for what comes out; of experts, each has its own. */
function added(model: SizedModel, tuning: TuningSpec): number {
  const rank = tuning.adapters?.rank ?? 0;
  const sizes = adapted(model, tuning).map(({ shape }) => {
    const [outputs = 0, inputs = 0, copies = 1] = shape.map((each) => extent(model, each)).reverse();
    return rank * (inputs + outputs) * copies;
  });
  return sizes.reduce((sum, each) => sum + each, 0);
}

function unfrozen(model: SizedModel, freeze: TuningSpec["freeze"]): number {
  const family = families[model.family];
  const layers = frozenLayers(freeze, model.layers);
  // A norm before the first layer belongs to it in the classes that have one.
  const entry = layers > 0 ? family.before.filter(({ role, when }) => role === "norm" && holds(model, when)) : [];
  const still = [...entry, ...layersFrom(model, 0, layers)].filter(({ buffer }) => buffer !== true);
  const tables = tensorsOf(family, model).filter(
    ({ tensor: { role } }) => freeze?.tables === true && (role === "embedding" || role === "positions"),
  );
  const frozen = [
    ...still.map(({ shape }) => extent(model, shape)),
    ...tables.map(({ elements, repeat }) => elements * repeat),
  ];
  return frozen.reduce((left, each) => left - each, trainableOf(family, model));
}
