/** Seconds of one optimizer step. */
import type { TimePlan } from "../plan.ts";
import { coreFlopsOf, flopsPerToken, layersOf, savedBytesOf, tensorsOf } from "../models/measure.ts";
import { attentionEfficiency, peakFlops, productEfficiency, timeError } from "./efficiency.ts";
import { stateInput } from "./memory.ts";
import { collectives } from "./network.ts";
import { worldOf, type Choice, type Setting } from "./setting.ts";

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
  const tokens = choice.micro_batch * setting.sequence;
  const input = stateInput(setting, choice);
  const forward = forwardSeconds(setting, tokens);
  const repeated = choice.recompute === "none" ? 3 : 4;
  const micro = repeated * forward.layers + 3 * forward.head;
  const launch = launchSeconds(setting) * (choice.recompute === "none" ? 1 : 1.33);
  // A GPU runs while the host enqueues; on a CPU both are the same threads.
  const one = cluster.device.kind === "cpu" ? micro + launch : Math.max(micro, launch);
  const compute = choice.accumulation * one;

  const traffic = engine.traffic(input, choice.accumulation);
  const comm = collectives(cluster, traffic);
  // Reductions hide behind backward, two thirds of a micro-step, gathers of stage 3 behind both passes.
  const hidden = overlap * (choice.zero_stage >= 2 ? compute : (2 / 3) * one);
  const data_comm = world > 1 ? Math.max(0, comm - hidden) : 0;

  const shard = choice.zero_stage >= 1 ? world : 1;
  const optimizer =
    choice.offload === "none"
      ? (adamBytes * input.parameters) / shard / (0.8 * cluster.device.bandwidth)
      : (adamBytes * input.parameters) / cluster.nodes / hostMemory;
  const offload = traffic.host / hostLink;
  const step = compute + data_comm + optimizer + offload;

  const tokensPerStep = setting.globalBatch * setting.sequence;
  const flops = flopsPerToken(family, model, setting.sequence, choice.recompute).model;
  const perSecond = tokensPerStep / step;
  return {
    step,
    tokens_per_second: perSecond,
    tokens_per_second_per_gpu: perSecond / world,
    mfu: (perSecond * flops) / (world * peakFlops(setting)),
    parts: { compute, data_comm, optimizer, ...(choice.offload === "none" ? {} : { offload }) },
    error: timeError(setting),
  };
}

/**
 * Roofline of a forward pass over one micro-batch: each product runs at its efficiency or at the speed its operands
 * come from memory; what lies between products is read and written about twice for each byte that is kept.
 */
function forwardSeconds(setting: Setting, tokens: number): { layers: number; head: number } {
  const { family, model, cluster, engine } = setting;
  const widths = engine.widths(setting.precision);
  const peak = peakFlops(setting);
  let layers = 0;
  let head = 0;
  for (const { tensor, repeat, elements, active } of tensorsOf(family, model)) {
    if (tensor.role !== "matrix" && tensor.role !== "head") continue;
    const flops = 2 * tokens * active;
    const bytes = widths.compute * elements;
    const seconds =
      repeat * Math.max(flops / (peak * productEfficiency(cluster, flops)), bytes / cluster.device.bandwidth);
    if (tensor.role === "head") head += seconds;
    else layers += seconds;
  }
  const attention = { materialised: setting.attention === "eager", sequence: setting.sequence };
  for (const { layer, repeat } of layersOf(family, model)) {
    const core = tokens * coreFlopsOf(model, layer, setting.sequence);
    if (core > 0) layers += (repeat * core) / (peak * attentionEfficiency * productEfficiency(cluster, core));
    layers += (repeat * 2 * tokens * savedBytesOf(layer, model, widths, attention)) / trafficRate(setting);
  }
  // Upcast, log-softmax and the two gradients pass over the fp32 logits about eight times in forward and backward.
  head += (8 * 4 * tokens * model.vocab) / 3 / trafficRate(setting);
  return { layers, head };
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
