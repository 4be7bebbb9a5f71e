/** Bytes of one rank on a machine without a GPU; every rank holds the whole model. */
import type { CpuCosts, StateInput } from "../../engines/cpu-costs.ts";
import { layerParametersOf, layersOf, savedBytesOf, tensorsOf } from "../../models/measure.ts";
import type { MemoryPlan } from "../../plan.ts";
import { groundOf } from "../adapter/ground.ts";
import { checkpointBytes } from "../checkpoint.ts";
import { allMoments } from "../moments.ts";
import { worldOf, type Choice, type Setting } from "../setting.ts";
import { calibrated, usualResident } from "./calibrated.ts";

/**
 * Bytes per token and row of the vocabulary while the loss runs backward: the saved log-probabilities, the gradient of
 * the loss in them and in the logits, all fp32 whatever the precision (transformers, loss/loss_utils.py:
 * ForCausalLMLoss upcasts; torch cross_entropy saves log_softmax).
 */
export const lossBytes = 12;

/**
 * Half-width of the 80 % interval where nothing was measured: that of twelve runs of the training program (both engines, 0.9M to
 * 52M parameters, one and two ranks, three precisions, recomputation and offload), of which the usual figures were fitted: ten
 * lie within 10 %.
 */
const usualError = 0.1;

/** Share of the machine's memory that a run may fill. */
const usableShare = 0.9;

export function costsOf({ engine }: Setting): CpuCosts {
  if (engine.onCpu === undefined) throw new Error(`engine ${engine.name} has no costs on a processor`);
  return engine.onCpu;
}

const trainedOf = (setting: Setting): number =>
  setting.tuning === undefined ? setting.model.parameters.total : groundOf(setting).trained;

export function stateInput(setting: Setting, choice: Choice): StateInput {
  const { family, model, cluster, precision } = setting;
  return {
    parameters: trainedOf(setting),
    matrices: tensorsOf(family, model)
      .filter(({ tensor }) => tensor.role === "matrix" || tensor.role === "head")
      .reduce((sum, { elements, repeat }) => sum + elements * repeat, 0),
    layer: layerParametersOf(family, model),
    d_model: model.d_model,
    world: worldOf(cluster),
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
export function cpuMemoryOf(setting: Setting, choice: Choice): MemoryPlan {
  const { cluster, model } = setting;
  const costs = costsOf(setting);
  const input = stateInput(setting, choice);
  const states = costs.states(input);
  const kept = activationBytes(setting, choice);
  const logits = (lossBytes * (choice.micro_batch * setting.sequence * model.vocab)) / choice.context_parallel;
  // Stage 3 holds the shards of the gradients from the start, the others allocate gradients as they come.
  const early = choice.accumulation > 1 || choice.zero_stage === 3 ? states.gradients : 0;
  const { buffers } = states;
  const spread = choice.zero_stage >= 1 ? worldOf(cluster) : 1;
  const whole = choice.zero_stage >= 3 ? worldOf(cluster) : 1;
  // Engines count Adam's two moments.
  const slimmer = (8 * input.parameters - allMoments(setting, input.parameters)) / spread;
  const frozen = ((setting.precision === "fp32" ? 4 : 2) * (model.parameters.total - input.parameters)) / whole;
  const weights = states.weights + frozen;
  const instants = [
    { gradients: early, activations: kept.loss, logits, buffers },
    { gradients: early, activations: kept.last, logits: 0, buffers },
    { gradients: states.gradients, activations: kept.first, logits: 0, buffers },
    { gradients: states.gradients, activations: 0, logits: 0, buffers: states.step },
  ];
  const sumOf = (i: (typeof instants)[number]): number => i.gradients + i.activations + i.logits + i.buffers;
  const worst = instants.reduce((most, one) => (sumOf(one) > sumOf(most) ? one : most));
  const optimizer = states.optimizer + states.host - slimmer;
  const { resident, heap, memory_error } = calibrated(cluster);
  const parts = {
    weights,
    gradients: worst.gradients,
    optimizer,
    activations: worst.activations,
    logits: worst.logits,
    buffers: worst.buffers,
    runtime: (resident * costs.resident) / usualResident + heap * (weights + optimizer + sumOf(worst)),
  };
  const rounded = Object.fromEntries(Object.entries(parts).map(([k, v]) => [k, Math.round(v)])) as typeof parts;
  const peak = Object.values(rounded).reduce((sum, part) => sum + part, 0);
  const capacity = Math.floor((cluster.ram ?? cluster.device.memory) / cluster.gpusPerNode);
  return {
    capacity,
    usable: Math.floor(capacity * usableShare),
    peak,
    host_peak: peak,
    checkpoint: checkpointBytes(setting),
    parts: rounded,
    ranks: [{ pipeline_stage: 0, peak }],
    error: memory_error ?? usualError,
  };
}

/** The layer that runs backward has the gradients of what it kept beside it. */
const backward = 2;

/**
 * What forward keeps for backward, when the loss, the last layer and the first layer run backward. With full
 * recomputation only each layer's input stays, and the layer that is running backward has its own values once (Chen et
 * al., arXiv 1604.06174).
 */
function activationBytes(setting: Setting, choice: Choice): { loss: number; last: number; first: number } {
  const { family, model, engine, sequence } = setting;
  const widths = engine.widths(setting.precision);
  const tokens = (choice.micro_batch * sequence) / choice.context_parallel;
  const attention = { materialised: setting.attention === "eager", sequence };
  const kinds = layersOf(family, model).map(({ layer, repeat }) => ({
    repeat,
    saved: tokens * savedBytesOf(layer, model, widths, attention),
  }));
  const layer = Math.max(...kinds.map(({ saved }) => saved));
  const all = kinds.reduce((sum, { repeat, saved }) => sum + repeat * saved, 0);
  const stream = tokens * model.d_model * widths.residual;
  // Outside the layers stay the embedding's output and the last norm's input.
  const ends = 2 * stream;
  if (choice.recompute !== "full") return { loss: all + ends, last: all, first: backward * layer + ends };
  const inputs = model.layers * stream;
  return { loss: inputs + ends, last: inputs + backward * layer, first: backward * layer + ends };
}
