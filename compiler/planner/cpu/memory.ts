/** Bytes of one rank on a machine without a GPU. */
import type { CpuCosts, StateInput } from "../../engines/cpu-costs.ts";
import { runsEager } from "../../models/eager.ts";
import { layerParametersOf, layersOf, savedBytesOf, tensorsOf, type Widths } from "../../models/measure.ts";
import type { MemoryPlan } from "../../plan.ts";
import { groundOf } from "../adapter/ground.ts";
import { checkpointBytes } from "../checkpoint.ts";
import { allMoments } from "../moments.ts";
import { worldOf, type Choice, type Setting } from "../setting.ts";
import { perLogit, readWidth } from "../teacher.ts";
import { calibrated, usualResident } from "./calibrated.ts";
import { memoryError } from "./errors.ts";
import { stageParts, type StagePart } from "./stages.ts";

/**
 * Bytes per token and row of the vocabulary while the loss runs backward: the saved log-probabilities, the gradient of
 * the loss in them and in the logits, all fp32 whatever the precision (transformers, loss/loss_utils.py:
 * ForCausalLMLoss upcasts; torch cross_entropy saves log_softmax).
 */
export const lossBytes = 12;

/** Share of the machine's memory that a run may fill. */
const usableShare = 0.9;

export function costsOf({ engine }: Setting): CpuCosts {
  if (engine.onCpu === undefined) throw new Error(`engine ${engine.name} has no costs on a CPU`);
  return engine.onCpu;
}

/** How wide values are in a layout: weights that ranks share out may be gathered narrower than they are kept. */
export function widthsOf(
  { engine, precision, cluster, tuning }: Setting,
  { zero_stage }: Pick<Choice, "zero_stage">,
): Widths {
  const isNarrowed = tuning !== undefined && tuning.adapters !== null;
  return engine.widths(precision, isNarrowed || (zero_stage > 0 && worldOf(cluster) > 1));
}

const trainedOf = (setting: Setting): number =>
  setting.tuning === undefined ? setting.model.parameters.total : groundOf(setting).trained;

/** Parameters of experts that other ranks hold. */
function elsewhere({ family, model }: Setting, { expert_parallel: ranks }: Choice): number {
  const experts = tensorsOf(family, model).filter(({ tensor }) => tensor.routed === true);
  return (1 - 1 / ranks) * experts.reduce((sum, { elements, repeat }) => sum + elements * repeat, 0);
}

/** `part`: of the pipeline. */
export function stateInput(setting: Setting, choice: Choice, part: StagePart): StateInput {
  const { family, model, precision } = setting;
  const parameters = part.parameters ?? trainedOf(setting);
  return {
    parameters,
    ...(choice.expert_parallel === 1 ? {} : { held: parameters - elsewhere(setting, choice) }),
    matrices: tensorsOf(family, model)
      .filter(({ tensor }) => tensor.role === "matrix" || tensor.role === "head")
      .reduce((sum, { elements, repeat }) => sum + elements * repeat, 0),
    layer: layerParametersOf(family, model),
    d_model: model.d_model,
    world: part.ranks,
    precision,
    zero_stage: choice.zero_stage,
    offload: choice.offload,
  };
}

/**
 * The largest of four instants, each with what lives then:
 * the loss runs backward (every activation, the logits, gradients of earlier micro-steps),
 * the last layer is recomputed (every layer's input, one layer's activations; the logits are gone),
 * the first layer has run backward (all gradients, one layer's activations),
 * the optimizer steps (all gradients and its own temporaries).
 */
function partsOf(setting: Setting, choice: Choice, part: StagePart): MemoryPlan["parts"] {
  const { cluster, model } = setting;
  const costs = costsOf(setting);
  const input = stateInput(setting, choice, part);
  const states = costs.states(input);
  const kept = activationBytes(setting, choice, part);
  const rows = part.last ? choice.micro_batch * setting.sequence * model.vocab : 0;
  const said = setting.teacher === undefined ? 0 : perLogit;
  const logits = ((lossBytes + said) * rows) / choice.context_parallel;
  // Stage 3 holds the shards of the gradients from the start, the others allocate gradients as they come.
  const early = choice.accumulation > 1 || choice.zero_stage === 3 ? states.gradients : 0;
  const buffers = states.buffers + sent(setting, choice);
  const spread = choice.zero_stage >= 1 ? part.ranks : 1;
  const whole = choice.zero_stage >= 3 ? part.ranks : 1;
  // Engines count Adam's two moments.
  const slimmer = (8 * input.parameters - allMoments(setting, input.parameters)) / spread;
  const frozen = ((setting.precision === "fp32" ? 4 : 2) * (model.parameters.total - trainedOf(setting))) / whole;
  const teacher = ((setting.teacher?.model.parameters.total ?? 0) * part.share * readWidth(setting)) / whole;
  const weights = states.weights + frozen + teacher;
  const instants = [
    { gradients: early, activations: kept.loss, logits, buffers },
    { gradients: early, activations: kept.last, logits: 0, buffers },
    { gradients: states.gradients, activations: kept.first, logits: 0, buffers },
    { gradients: states.gradients, activations: 0, logits: 0, buffers: states.step },
  ];
  const sumOf = (i: (typeof instants)[number]): number => i.gradients + i.activations + i.logits + i.buffers;
  const worst = instants.reduce((most, one) => (sumOf(one) > sumOf(most) ? one : most));
  const optimizer = states.optimizer + states.host - slimmer;
  const { resident, heap } = calibrated(cluster);
  const parts = {
    weights,
    gradients: worst.gradients,
    optimizer,
    activations: worst.activations,
    logits: worst.logits,
    buffers: worst.buffers,
    runtime: (resident * costs.resident) / usualResident + heap * (weights + optimizer + sumOf(worst)),
  };
  return Object.fromEntries(Object.entries(parts).map(([k, v]) => [k, Math.round(v)])) as typeof parts;
}

/** `parts` are those of the rank that needs most. */
export function cpuMemoryOf(setting: Setting, choice: Choice): MemoryPlan {
  const { cluster } = setting;
  const ranks = stageParts(setting, choice).map((part) => {
    const parts = partsOf(setting, choice, part);
    return { pipeline_stage: part.index, peak: Object.values(parts).reduce((sum, one) => sum + one, 0), parts };
  });
  const { peak, parts } = ranks.reduce((most, one) => (one.peak > most.peak ? one : most));
  const capacity = Math.floor((cluster.ram ?? cluster.device.memory) / cluster.gpusPerNode);
  return {
    capacity,
    usable: Math.floor(capacity * usableShare),
    peak,
    host_peak: peak * cluster.gpusPerNode,
    checkpoint: checkpointBytes(setting),
    parts,
    ranks: ranks.length > 1 ? ranks : [{ pipeline_stage: 0, peak }],
    error: memoryError(calibrated(cluster), setting.family.name),
  };
}

/** The layer that runs backward has the gradients of what it kept beside it. */
const backward = 2;

/**
 * What forward keeps for backward, when the loss, the last layer and the first layer run backward. With full
 * recomputation only each layer's input stays, and the layer that is running backward has its own values once (Chen et
 * al., arXiv 1604.06174).
 */
function activationBytes(
  setting: Setting,
  choice: Choice,
  { share, flying }: StagePart,
): { loss: number; last: number; first: number } {
  const { family, model, sequence } = setting;
  const widths = widthsOf(setting, choice);
  const tokens = (choice.micro_batch * sequence) / choice.context_parallel;
  const attention = { materialised: runsEager(family, setting.attention), masked: true, sequence };
  const kinds = layersOf(family, model).map(({ layer, repeat }) => ({
    repeat,
    saved: tokens * savedBytesOf(layer, model, widths, attention),
  }));
  const layer = Math.max(...kinds.map(({ saved }) => saved));
  const one = share * kinds.reduce((sum, { repeat, saved }) => sum + repeat * saved, 0);
  const stream = tokens * model.d_model * widths.residual;
  // Outside the layers stay the embedding's output and the last norm's input.
  const ends = 2 * stream;
  const of = choice.recompute === "full" ? share * model.layers * stream : one;
  const again = choice.recompute === "full" ? backward * layer : 0;
  const others = (flying - 1) * of;
  return { loss: others + of + ends, last: others + of + again, first: others + backward * layer + ends };
}

/** What comes from the stage before and goes to the next, and the gradient of that. */
function sent(setting: Setting, choice: Choice): number {
  if (choice.pipeline_parallel === 1) return 0;
  return 3 * choice.micro_batch * setting.sequence * setting.model.d_model * widthsOf(setting, choice).residual;
}
