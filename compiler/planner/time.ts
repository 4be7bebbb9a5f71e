/** Seconds of one optimizer step. */
import type { TimePlan } from "../plan.ts";
import { coreFlopsOf, flopsPerToken, layersOf, savedBytesOf, tensorsOf } from "../models/measure.ts";
import { attentionEfficiency, peakFlops, productEfficiency, timeError } from "./efficiency.ts";
import { stateInput } from "./memory.ts";
import { collectives, groupOf } from "./network.ts";
import { exchanges } from "./exchanges.ts";
import { replicasOf, worldOf, type Choice, type Setting } from "./setting.ts";

/** Share of backward that hides communication of the micro-step it belongs to. */
const overlap = 0.7;

/** Bytes/s of a host link: PCIe 4 x16 as copies from pinned memory reach it. */
const hostLink = 20e9;

/** Bytes/s of memory a CPU optimizer reaches per node, and bytes it moves per parameter (four fp32 values in, three out). */
const hostMemory = 100e9;
const adamBytes = 28;

export function timeOf(setting: Setting, choice: Choice): TimePlan {
  const { cluster, model, family, engine } = setting;
  const world = worldOf(cluster);
  const stages = choice.pipeline_parallel;
  const tokens = (choice.micro_batch * setting.sequence) / choice.context_parallel;
  const input = stateInput(setting, choice);
  const forward = forwardSeconds(setting, tokens, choice);
  const repeated = choice.recompute === "full" ? 4 : 3;
  const again = choice.recompute === "selective" ? forward.cores : 0;
  // The last stage of a pipeline has the head beside its layers, and the others wait for it.
  const micro = (repeated * forward.layers + again) / stages + 3 * forward.head;
  const launch = (launchSeconds(setting) * (choice.recompute === "none" ? 1 : 1.33)) / stages;
  // A GPU runs while the host enqueues; on a CPU both are the same threads.
  const one = cluster.device.kind === "cpu" ? micro + launch : Math.max(micro, launch);
  const compute = choice.accumulation * one;

  const traffic = engine.traffic(input, choice.accumulation);
  const sharing = replicasOf(cluster, choice) * choice.context_parallel;
  const comm = collectives(groupOf(cluster, sharing, choice.tensor_parallel), traffic);
  // Reductions hide behind backward, two thirds of a micro-step, gathers of stage 3 behind both passes.
  const hidden = overlap * (choice.zero_stage >= 2 ? compute : (2 / 3) * one);
  const data_comm = world > 1 ? Math.max(0, comm - hidden) : 0;

  const shard = choice.zero_stage >= 1 ? sharing : 1;
  const exchanged = exchanges(setting, choice, tokens);
  // Stages idle while a pipeline fills and drains: the steps of one micro-batch on the others, by chunks of layers.
  const micro_step = one + exchanged.tensor / choice.accumulation;
  const pipeline_bubble = stages === 1 ? 0 : ((stages - 1) * micro_step) / choice.virtual_pipeline;
  const optimizer =
    choice.offload === "none"
      ? (adamBytes * input.parameters) / shard / (0.8 * cluster.device.bandwidth)
      : (adamBytes * input.parameters) / cluster.nodes / hostMemory;
  const offload = traffic.host / hostLink;
  const moved = exchanged.tensor + exchanged.expert + exchanged.context + exchanged.pipeline;
  const step = compute + data_comm + optimizer + offload + pipeline_bubble + moved;

  const tokensPerStep = setting.globalBatch * setting.sequence;
  const flops = flopsPerToken(family, model, setting.sequence, choice.recompute).model;
  const perSecond = tokensPerStep / step;
  return {
    step,
    tokens_per_second: perSecond,
    tokens_per_second_per_gpu: perSecond / world,
    mfu: (perSecond * flops) / (world * peakFlops(setting)),
    parts: {
      compute,
      data_comm,
      optimizer,
      ...(choice.offload === "none" ? {} : { offload }),
      ...(choice.tensor_parallel > 1 ? { tensor_comm: exchanged.tensor } : {}),
      ...(choice.expert_parallel > 1 ? { expert_comm: exchanged.expert } : {}),
      ...(choice.context_parallel > 1 ? { context_comm: exchanged.context } : {}),
      ...(stages > 1 ? { pipeline_bubble, pipeline_comm: exchanged.pipeline } : {}),
    },
    error: timeError(setting),
  };
}

/**
 * Roofline of a forward pass over one micro-batch: each product runs at its efficiency or at the speed its operands
 * come from memory; what lies between products is read and written about twice for each byte that is kept.
 */
function forwardSeconds(
  setting: Setting,
  tokens: number,
  { tensor_parallel, expert_parallel }: Choice,
): { layers: number; head: number; cores: number } {
  const { family, model, cluster, engine } = setting;
  const widths = engine.widths(setting.precision);
  const peak = peakFlops(setting);
  let layers = 0;
  let head = 0;
  let cores = 0;
  for (const { tensor, repeat, elements, active } of tensorsOf(family, model)) {
    if (tensor.role !== "matrix" && tensor.role !== "head") continue;
    const flops = (2 * tokens * active) / tensor_parallel;
    const parts = tensor.routed === true ? expert_parallel : tensor_parallel;
    const bytes = (widths.compute * elements) / parts;
    const seconds =
      repeat * Math.max(flops / (peak * productEfficiency(cluster, flops)), bytes / cluster.device.bandwidth);
    if (tensor.role === "head") head += seconds;
    else layers += seconds;
  }
  const attention = { materialised: setting.attention === "eager", sequence: setting.sequence };
  for (const { layer, repeat } of layersOf(family, model)) {
    const core = (tokens * coreFlopsOf(model, layer, setting.sequence)) / tensor_parallel;
    if (core > 0) {
      const seconds = (repeat * core) / (peak * attentionEfficiency * productEfficiency(cluster, core));
      cores += seconds;
      layers += seconds;
    }
    const bytes = (repeat * 2 * tokens * savedBytesOf(layer, model, widths, attention)) / tensor_parallel;
    layers += bytes / trafficRate(setting);
  }
  // Upcast, log-softmax and the two gradients pass over the fp32 logits about eight times in forward and backward.
  head += (8 * 4 * tokens * model.vocab) / tensor_parallel / 3 / trafficRate(setting);
  return { layers, head, cores };
}

/** A cache holds much of what a CPU moves between products; a GPU streams it. */
function trafficRate({ cluster, compile }: Setting): number {
  if (cluster.device.kind === "cpu") return 4 * cluster.device.bandwidth;
  return (compile ? 1.6 : 0.8) * cluster.device.bandwidth;
}

/** The host takes about 8 microseconds for each of the 45 operations of a layer, forward and backward. */
function launchSeconds({ model }: Setting): number {
  return (model.layers * 45 + 60) * 8e-6;
}
