/** Bytes of one rank at its worst instant. */
import type { StateInput } from "../engines/engine.ts";
import { layerParametersOf, layersOf, savedBytesOf, savedBytesPerToken, tensorsOf } from "../models/measure.ts";
import type { MemoryPlan } from "../plan.ts";
import { memoryError, runtimeBytes, usableShare } from "./runtime.ts";
import { worldOf, type Choice, type Setting } from "./setting.ts";

/**
 * Bytes per token and row of the vocabulary while the loss runs backward: the saved log-probabilities, the gradient of
 * the loss in them and in the logits, all fp32 whatever the precision (transformers, loss/loss_utils.py:
 * ForCausalLMLoss upcasts; torch cross_entropy saves log_softmax).
 */
const lossBytes = 12;

export function stateInput(setting: Setting, choice: Choice): StateInput {
  const { family, model } = setting;
  return {
    parameters: model.parameters.total,
    matrices: tensorsOf(family, model)
      .filter(({ tensor }) => tensor.role === "matrix" || tensor.role === "head")
      .reduce((sum, { elements, repeat }) => sum + elements * repeat, 0),
    layer: layerParametersOf(family, model),
    d_model: model.d_model,
    world: worldOf(setting.cluster),
    precision: setting.precision,
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
 * `parts` are those of the worst instant, so that they add up to `peak`.
 */
export function memoryOf(setting: Setting, choice: Choice): MemoryPlan {
  const { cluster, model, engine } = setting;
  const states = engine.states(stateInput(setting, choice));
  const tokens = choice.micro_batch * setting.sequence;
  const kept = activationBytes(setting, choice);
  const logits = lossBytes * tokens * model.vocab;
  // Stage 3 holds the shards of the gradients from the start, the others allocate gradients as they come.
  const early = choice.accumulation > 1 || choice.zero_stage === 3 ? states.gradients : 0;
  const { buffers } = states;

  const instants = [
    { gradients: early, activations: kept.loss, logits, buffers },
    { gradients: early, activations: kept.last, logits: 0, buffers },
    { gradients: states.gradients, activations: kept.first, logits: 0, buffers },
    { gradients: states.gradients, activations: 0, logits: 0, buffers: states.step },
  ];
  const sums = instants.map((i) => i.gradients + i.activations + i.logits + i.buffers);
  const worst = instants[sums.indexOf(Math.max(...sums))] ?? { gradients: 0, activations: 0, logits: 0, buffers: 0 };
  const onHost = cluster.device.kind === "cpu" ? states.host : 0;
  const device = states.weights + states.optimizer + onHost + Math.max(...sums);
  const runtime = runtimeBytes(cluster, engine, device);
  const parts = {
    weights: states.weights,
    gradients: worst.gradients,
    optimizer: states.optimizer + onHost,
    activations: worst.activations,
    logits: worst.logits,
    buffers: worst.buffers,
    runtime,
  };
  const rounded = Object.fromEntries(Object.entries(parts).map(([k, v]) => [k, Math.round(v)])) as typeof parts;
  const peak = Object.values(rounded).reduce((sum, part) => sum + part, 0);
  const capacity = capacityOf(setting);
  return {
    capacity,
    usable: Math.floor(capacity * usableShare(cluster)),
    peak,
    host_peak: cluster.device.kind === "cpu" ? peak : Math.round(hostRuntime + states.host),
    checkpoint: checkpointBytes(setting),
    parts: rounded,
    ranks: [{ pipeline_stage: 0, peak }],
    error: memoryError(cluster),
  };
}

/** Python, torch and the CUDA libraries of one rank on its host: about what a training process shows before its model. */
const hostRuntime = 3 * 2 ** 30;

/** Memory of one rank's device; on a CPU machine its share of the host's. */
export function capacityOf({ cluster }: Setting): number {
  if (cluster.device.kind === "gpu") return cluster.device.memory;
  return Math.floor((cluster.ram ?? cluster.device.memory) / cluster.gpusPerNode);
}

/**
 * What forward keeps for backward, when the loss, the last layer and the first layer run backward. With full
 * recomputation only each layer's input stays, and the layer that is running backward has its own values once (Chen et
 * al., arXiv 1604.06174).
 */
function activationBytes(setting: Setting, choice: Choice): { loss: number; last: number; first: number } {
  const { family, model, engine, sequence } = setting;
  const widths = engine.widths(setting.precision);
  const tokens = choice.micro_batch * sequence;
  const attention = { materialised: setting.attention === "eager", sequence };
  const layer = tokens * savedBytesPerToken(family, model, widths, attention);
  const all = layersOf(family, model).reduce(
    (sum, part) => sum + part.repeat * tokens * savedBytesOf(part.layer, model, widths, attention),
    0,
  );
  const stream = tokens * model.d_model * widths.residual;
  // Outside the layers stay the embedding's output and the last norm's input.
  const ends = 2 * stream;
  if (choice.recompute === "none") {
    return { loss: all + ends, last: all, first: layer + ends };
  }
  const inputs = model.layers * stream;
  return { loss: inputs + ends, last: inputs + layer, first: layer + ends };
}

/**
 * A checkpoint that resumes exactly: weights, and fp32 weights with two moments where the engine keeps masters
 * (DeepSpeed), two moments where the weights are fp32 themselves (torch).
 */
function checkpointBytes({ model, engine, precision }: Setting): number {
  const p = model.parameters.total;
  if (engine.widths(precision).residual === 4) return 12 * p;
  return (2 + 12) * p;
}
