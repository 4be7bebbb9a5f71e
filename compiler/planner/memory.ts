/** Bytes of one rank at its worst instant. */
import type { StateInput } from "../engines/engine.ts";
import { layerParametersOf, layersOf, savedBytesOf, tensorsOf } from "../models/measure.ts";
import type { Layer } from "../models/family.ts";
import type { MemoryPlan } from "../plan.ts";
import { memoryError, runtimeBytes, usableShare } from "./runtime.ts";
import { holdingOf } from "./holding.ts";
import { replicasOf, worldOf, type Choice, type Setting } from "./setting.ts";

/**
 * Bytes per token and row of the vocabulary while the loss runs backward: the saved log-probabilities, the gradient of
 * the loss in them and in the logits, all fp32 whatever the precision (transformers, loss/loss_utils.py:
 * ForCausalLMLoss upcasts; torch cross_entropy saves log_softmax).
 */
const lossBytes = 12;

/** `stage`: of the pipeline, from 0. */
export function stateInput(setting: Setting, choice: Choice, stage = 0): StateInput {
  const { family, model, cluster } = setting;
  const holding = holdingOf(setting, choice, stage);
  // Context parallel ranks hold the same parameters too: their gradients are summed, and ZeRO shards over them.
  const sharing = replicasOf(cluster, choice) * choice.context_parallel;
  return {
    ...holding,
    expert_world: worldOf(cluster) / (choice.pipeline_parallel * choice.expert_parallel),
    matrices: tensorsOf(family, model)
      .filter(({ tensor }) => tensor.role === "matrix" || tensor.role === "head")
      .reduce((sum, { elements, repeat }) => sum + elements * repeat, 0),
    layer: layerParametersOf(family, model),
    d_model: model.d_model,
    world: sharing,
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
 * `parts` are those of the worst instant of the rank that needs most, so that they add up to `peak`.
 */
export function memoryOf(setting: Setting, choice: Choice): MemoryPlan {
  const stages = Array.from({ length: choice.pipeline_parallel }, (_, stage) =>
    memoryOfStage(setting, choice, stage),
  );
  const fullest = stages.reduce((most, one) => (one.peak > most.peak ? one : most));
  return { ...fullest, ranks: stages.flatMap(({ ranks }) => ranks) };
}

function memoryOfStage(setting: Setting, choice: Choice, stage: number): MemoryPlan {
  const { cluster, model, engine } = setting;
  const states = engine.states(stateInput(setting, choice, stage));
  const tokens = (choice.micro_batch * setting.sequence) / choice.context_parallel;
  const kept = activationBytes(setting, choice, stage);
  const isLast = stage === choice.pipeline_parallel - 1;
  const logits = isLast ? (lossBytes * tokens * model.vocab) / choice.tensor_parallel : 0;
  // Stage 3 holds the shards of the gradients from the start, the others allocate gradients as they come.
  const isEarly = choice.accumulation > 1 || choice.zero_stage === 3 || engine.capabilities.early_gradients;
  const early = isEarly ? states.gradients : 0;
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
    ranks: [{ pipeline_stage: stage, peak }],
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
 * al., arXiv 1604.06174). A rank of a pipeline keeps a share of the layers, of each micro-batch in flight. Tensor parallelism
 * splits what lies between its matrices, with sequence parallelism the rest too (Korthikanti et al. 2022, arXiv 2205.05198,
 * section 4); selective recomputation keeps no scores.
 */
function activationBytes(
  setting: Setting,
  choice: Choice,
  stage: number,
): { loss: number; last: number; first: number } {
  const { family, model, engine, sequence } = setting;
  const widths = engine.widths(setting.precision);
  const tokens = (choice.micro_batch * sequence) / choice.context_parallel;
  const materialised = setting.attention === "eager" && choice.recompute !== "selective";
  const attention = { materialised, sequence };
  const streamShare = choice.sequence_parallel ? choice.tensor_parallel : 1;
  const savedOf = (layer: Layer): number => {
    const whole = savedBytesOf(layer, model, widths, attention);
    if (choice.tensor_parallel === 1) return whole;
    const unsplit = { ...layer, saved: layer.saved.filter(({ size }) => size === "d_model") };
    const stream = savedBytesOf(unsplit, model, widths, attention);
    return (whole - stream) / choice.tensor_parallel + stream / streamShare;
  };
  const kinds = layersOf(family, model).map((part) => ({ ...part, saved: tokens * savedOf(part.layer) }));
  const layer = Math.max(...kinds.map(({ saved }) => saved));
  const all = kinds.reduce((sum, { repeat, saved }) => sum + repeat * saved, 0) / choice.pipeline_parallel;
  const stream = (tokens * model.d_model * widths.residual) / streamShare;
  // Outside the layers stay the embedding's output and the last norm's input.
  const ends = 2 * stream;
  const flying = inFlight(choice, stage);
  const others = flying - 1;
  if (choice.recompute !== "full") {
    return { loss: flying * all + ends, last: flying * all, first: others * all + layer + ends };
  }
  const inputs = (model.layers / choice.pipeline_parallel) * stream;
  return {
    loss: flying * inputs + ends,
    last: flying * inputs + layer,
    first: others * inputs + layer + ends,
  };
}

/**
 * Micro-batches whose activations a rank of a pipeline holds at once, in those of a whole rank: one for each stage from it on under
 * 1F1B; interleaved, chunks of layers warm up for two rounds (Narayanan et al. 2021, arXiv 2104.04473, section 2.2; Megatron-LM
 * core/pipeline_parallel/schedules.py: get_pp_rank_microbatches).
 */
function inFlight(
  { pipeline_parallel: stages, virtual_pipeline: chunks, accumulation }: Choice,
  stage: number,
): number {
  if (chunks === 1) return Math.min(accumulation, stages - stage);
  const warmup = 2 * (stages - stage - 1) + (chunks - 1) * stages + 1;
  return Math.min(accumulation * chunks, warmup) / chunks;
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
