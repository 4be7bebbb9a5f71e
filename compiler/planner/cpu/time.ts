/** Seconds of one optimizer step on machines without a GPU. */
import type { StateInput, Traffic } from "../../engines/cpu-costs.ts";
import { runsEager } from "../../models/eager.ts";
import {
  coreFlopsOf,
  extent,
  flopsPerToken,
  layersOf,
  plainScanOf,
  savedBytesOf,
  tensorsOf,
} from "../../models/measure.ts";
import type { ClusterSpec } from "../../pipeline.ts";
import type { TimePlan } from "../../plan.ts";
import { unspentOf } from "../adapter/ground.ts";
import { orthogonalFlops } from "../physics/orthogonal.ts";
import { clearedBytes, walkedLayers } from "../physics/walked.ts";
import { hostAdamRate, steppedBytes } from "../host-adam.ts";
import { worldOf, type Choice, type Setting } from "../setting.ts";
import { calibrated, peakOf } from "./calibrated.ts";
import { timeError } from "./errors.ts";
import { costsOf, lossBytes, stateInput, widthsOf } from "./memory.ts";
import { stageParts } from "./stages.ts";

/** Bytes/s between what an engine takes for a device and its host. */
const hostLink = 20e9;

/** Bytes of gradients in one message of DDP (torch/nn/parallel/distributed.py: bucket_cap_mb). */
const message = 25 * 2 ** 20;

/** Stage 3 gathers and frees the weights of each module around each use, in Python: so much more than the layer's own work. */
const gatherHost = 8;

/** A byte that is kept is written once and read by two kernels. */
const movesOfKept = 3;

/** Elements below which torch leaves a kernel to one core (ATen/Parallel.h: GRAIN_SIZE). */
const grain = 32_768;

/** Ranks compute, then talk: gloo's threads need the cores that compute, so neither hides the other. */
export function cpuTimeOf(setting: Setting, choice: Choice): TimePlan {
  const { cluster, model, family, teacher } = setting;
  const world = worldOf(cluster);
  const figures = calibrated(cluster);
  const stages = stageParts(setting, choice);
  const inputs = stages.map((part) => stateInput(setting, choice, part));
  const input = inputs.reduce((most, one) => (one.parameters > most.parameters ? one : most));
  const traffic = costsOf(setting).traffic(input, choice.accumulation);
  const { passes } = costsOf(setting);
  const { layers, ends } = microStep(setting, choice);
  const slowest = Math.max(...stages.map(({ share, last }) => share * layers + (last ? ends : 0)));
  const shard = choice.zero_stage >= 1 ? input.world : 1;
  const update = input.parameters / shard / (figures.optimizer * coresOf(cluster));
  const parts = {
    compute: choice.accumulation * slowest,
    ...(stages.length === 1
      ? {}
      : { pipeline_comm: choice.accumulation * handing(setting, choice), pipeline_bubble: layers + ends - slowest }),
    ...(choice.expert_parallel === 1 ? {} : { expert_comm: choice.accumulation * dispatching(setting, choice) }),
    data_comm: exchanged(cluster, input, traffic, choice.expert_parallel),
    optimizer:
      choice.offload === "none"
        ? passes.update * update + orthogonal(setting, Math.max(...stages.map(({ share }) => share)) / shard)
        : (steppedBytes(setting) * input.parameters) / cluster.nodes / hostAdamRate(cluster).rate,
    ...(choice.offload === "none" ? {} : { offload: traffic.host / hostLink }),
    other: figures.step + passes.clip * update,
    ...(teacher === undefined
      ? {}
      : { teacher: (choice.accumulation * slowest * asked(setting, teacher)) / passesOf(choice) }),
  };
  const step = Object.values(parts).reduce((sum, part) => sum + part, 0);
  const perSecond = (setting.globalBatch * setting.sequence) / step;
  const unspent = unspentOf(setting);
  const flops = flopsPerToken(family, model, setting.sequence, choice.recompute).model - unspent;
  return {
    step,
    tokens_per_second: perSecond,
    tokens_per_second_per_gpu: perSecond / world,
    mfu: (perSecond * flops) / (world * peakOf(cluster, setting.precision) * coresOf(cluster)),
    parts,
    error: timeError(figures, family.name),
  };
}

/** Of so much of the matrices of a model. */
function orthogonal({ family, model, cluster, optimizer }: Setting, share: number): number {
  const steps = optimizer?.muon?.iterations ?? 0;
  if (steps === 0) return 0;
  let flops = 0;
  for (const { tensor, repeat, elements } of tensorsOf(family, model)) {
    if (tensor.role !== "matrix") continue;
    const [rows = 1, columns = 1] = tensor.shape.slice(-2).map((side) => extent(model, side));
    flops += repeat * (elements / (rows * columns)) * orthogonalFlops(rows, columns);
  }
  return (steps * share * flops) / (calibrated(cluster).fp32 * coresOf(cluster));
}

/** FLOPs of a teacher's pass for each of the student's. */
function asked({ family, model, sequence }: Setting, teacher: NonNullable<Setting["teacher"]>): number {
  const of = (one: typeof teacher): number => flopsPerToken(one.family, one.model, sequence, "none").model;
  return of(teacher) / of({ family, model });
}

/** Forward, backward twice as long, and forward again where layers are recomputed. */
const passesOf = ({ recompute }: Choice): number => (recompute === "full" ? 4 : 3);

/** A rank has its share of the node's cores, two where nobody said; figures of a CPU are those of one core. */
function coresOf({ cores, gpusPerNode }: ClusterSpec): number {
  return Math.max(1, (cores ?? 2 * gpusPerNode) / gpusPerNode);
}

/** Forward and backward of one micro-batch: backward repeats each product twice, and recomputation its layers' forward. */
function microStep(
  setting: Setting,
  { micro_batch, recompute, zero_stage, context_parallel }: Choice,
): { readonly layers: number; readonly ends: number } {
  const { family, model, cluster, precision, sequence } = setting;
  const figures = calibrated(cluster);
  const cores = coresOf(cluster);
  const tokens = (micro_batch * sequence) / context_parallel;
  const passes = recompute === "full" ? 4 : 3;
  const rate = (precision === "fp32" ? figures.fp32 : figures.bf16) * cores;
  let layers = 0;
  let head = 0;
  for (const { tensor, repeat, active } of tensorsOf(family, model)) {
    if (tensor.role === "head") head += (2 * tokens * repeat * active) / rate;
    else if (tensor.role === "matrix") layers += (2 * tokens * repeat * active) / rate;
  }
  const widths = widthsOf(setting, { zero_stage });
  const shared = cores > 1 && tokens * model.d_model > grain;
  const host = (zero_stage === 3 ? gatherHost : 1) * figures.layer + (shared ? figures.fork : 0);
  const attention = { materialised: runsEager(family, setting.attention), masked: true, sequence };
  for (const { layer, repeat } of layersOf(family, model)) {
    const plainly = plainScanOf(model, layer);
    const flops = plainly?.flops ?? coreFlopsOf(model, layer, sequence);
    const core = (tokens * flops) / (figures.attention * cores);
    const cleared = (sequence * clearedBytes(plainly)) / movesOfKept;
    const around = (tokens * (savedBytesOf(layer, model, widths, attention) + cleared)) / (figures.kernels * cores);
    const walked = figures.layer * walkedLayers(plainly, sequence);
    // A third of a layer's kernels and of what the host does for it belong to its forward.
    layers += repeat * (core + around / 3 + (host + walked) / 3);
  }
  const loss = (lossBytes * tokens * model.vocab) / (figures.kernels * cores);
  return { layers: passes * layers - (tokens * unspentOf(setting)) / rate, ends: 3 * head + loss };
}

/** A stage sends activations on and gradients back, and waits until they are there. */
function handing({ model, engine, precision, sequence, cluster }: Setting, { micro_batch }: Choice): number {
  const { link, latency } = calibrated(cluster);
  const bytes = micro_batch * sequence * model.d_model * engine.widths(precision).residual;
  return 2 * (latency + bytes / (cluster.nodes === 1 ? link : Math.min(link, cluster.network)));
}

/** Experts that ranks share out are reduced and gathered among as many fewer ranks, the rest among all. */
function exchanged(cluster: ClusterSpec, input: StateInput, traffic: Traffic, ranks: number): number {
  const gathered = traffic.reduce_scatter + traffic.all_gather;
  if (input.held === undefined) return collectives(cluster, input.world, traffic.all_reduce, gathered);
  const experts = (input.parameters - input.held) / (1 - 1 / ranks) / input.parameters;
  const among = (world: number, share: number): number =>
    collectives(cluster, world, share * traffic.all_reduce, share * gathered);
  return among(input.world, 1 - experts) + among(input.world / ranks, experts / ranks);
}

/** Tokens go to their experts and come back, forward and backward, and forward again where layers are recomputed. */
function dispatching(setting: Setting, choice: Choice): number {
  const { family, model, engine, precision, sequence, cluster } = setting;
  const { expert_parallel: ranks, micro_batch, recompute } = choice;
  const { link, latency } = calibrated(cluster);
  const wire = cluster.nodes === 1 ? link : Math.min(link, cluster.network);
  const layers = layersOf(family, model)
    .filter(({ layer }) => layer.tensors.some(({ routed }) => routed === true))
    .reduce((sum, { repeat }) => sum + repeat, 0);
  const copies = micro_batch * sequence * (model.moe?.top_k ?? 1);
  const sent = copies * model.d_model * engine.widths(precision).residual * (1 - 1 / ranks);
  return layers * (recompute === "full" ? 6 : 4) * (sent / wire + (ranks - 1) * latency);
}

/**
 * Seconds of a step's collectives. A ring of n ranks moves (n - 1) / n of the payload past each of them in n - 1 rounds, an
 * all-reduce twice that. Between machines it reaches a share of the network that falls with their number (Hugging Face's ultrascale
 * playbook).
 */
function collectives(cluster: ClusterSpec, n: number, reduced: number, gathered: number): number {
  const { network } = cluster;
  const { link, latency } = calibrated(cluster);
  const gpusPerNode = Math.min(cluster.gpusPerNode, n);
  const nodes = Math.ceil(n / gpusPerNode);
  if (n === 1) return 0;
  const moved = ((2 * reduced + gathered) * (n - 1)) / n;
  const rounds = (Math.ceil((2 * reduced) / message) + Math.ceil(gathered / message)) * (n - 1);
  const near = gpusPerNode > 1 ? moved / link : 0;
  if (nodes === 1) return near + rounds * latency;
  const share = Math.max(0.1, 0.7 * (nodes / 2) ** -0.6);
  return Math.max(near, (moved * gpusPerNode) / (share * network)) + rounds * latency;
}
