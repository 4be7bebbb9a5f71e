/** Seconds of one optimizer step. */
import type { TimePlan } from "../plan.ts";
import { groundOf } from "./adapter/ground.ts";
import { batchOf, layoutOf } from "./adapter/spread.ts";
import { cpuTimeOf } from "./cpu/time.ts";
import { hostAdamRate, hostedMoments, steppedBytes } from "./host-adam.ts";
import { movedBytes } from "./moved.ts";
import { hostedFrozen, hostedParameters } from "./hosted.ts";
import { diskBandwidth, isOnDisk, onDisk } from "./nvme.ts";
import { timeOf as stepOf } from "./physics/time.ts";
import { taughtOf } from "./teacher.ts";
import { onCpu, worldOf, type Choice, type Setting } from "./setting.ts";

/** Bytes/s of a host link: PCIe 4 x16 as copies from pinned memory reach it. */
export const hostLink = 20e9;

export function timeOf(setting: Setting, choice: Choice): TimePlan {
  if (onCpu(setting)) return cpuTimeOf(setting, choice);
  const ground = groundOf(setting);
  const { shape, machine, constants, describe } = ground;
  const { engine, stepped = 0 } = describe(choice);
  const { parts: physical, terms } = stepOf(
    shape,
    layoutOf(setting, choice),
    batchOf(setting, choice),
    engine,
    machine,
    constants,
  );
  const { compute, data_comm, optimizer, ...others } = physical;
  const waited = choice.accumulation * terms.layers.reduce((sum, { count, time }) => sum + count * time.launches, 0);
  const computing = waited > 0 ? { compute: compute - waited, host_launches: waited } : { compute };
  const parts: Record<string, number> = { ...computing, data_comm, optimizer };
  for (const [name, seconds] of Object.entries(others)) if (seconds > 0) parts[name] = seconds;
  const passed = passing(setting, choice, compute);
  if (passed > 0) parts["offload"] = passed;
  if (choice.offload !== "none" && choice.offload !== "activations")
    Object.assign(
      parts,
      withPassed(offloaded(setting, choice, terms.made), passed + swappedSeconds(setting, choice)),
    );
  else if (stepped > 0) {
    const host = offloaded(setting, choice);
    parts["optimizer"] = (1 - stepped) * optimizer + stepped * (host["optimizer"] ?? 0);
    parts["offload"] = stepped * (host["offload"] ?? 0);
  }
  const taught = taughtOf(setting, choice);
  if (taught !== null) parts["teacher"] = taught.seconds;
  const step = Object.values(parts).reduce((sum, part) => sum + part, 0);
  return { step, ...ratesOf(setting, step), parts, error: Math.sinh(constants.time_interval) };
}

const withPassed = (parts: Record<string, number>, passed: number): Record<string, number> => ({
  ...parts,
  offload: (parts["offload"] ?? 0) + passed,
});

/** Sub-groups are read, stepped and written in turn: DeepSpeed's `pipeline_read` and `pipeline_write` are off unless they are asked for. */
function swappedSeconds(setting: Setting, choice: Choice): number {
  if (!isOnDisk(setting, choice)) return 0;
  const world = worldOf(setting.cluster);
  const shard = hostedParameters(setting) / world;
  const frozen = hostedFrozen(setting, choice) / world;
  return onDisk(setting, shard, hostedMoments(setting), choice, frozen).passed / diskBandwidth;
}

/** What layers keep passes the link to the host and back beside the products; what takes longer than they is waited for. */
function passing(setting: Setting, choice: Choice, compute: number): number {
  const seconds = (2 * choice.accumulation * movedBytes(setting, choice)) / hostLink;
  // Inputs of layers that run again are copied on the stream of the products.
  return choice.recompute === "full" ? seconds : Math.max(0, seconds - compute);
}

/** What follows from a step's seconds. */
function ratesOf(
  setting: Setting,
  step: number,
): Pick<TimePlan, "tokens_per_second" | "tokens_per_second_per_gpu" | "mfu"> {
  const world = worldOf(setting.cluster);
  const { flops, machine } = groundOf(setting);
  const perSecond = (setting.globalBatch * setting.sequence) / step;
  return {
    tokens_per_second: perSecond,
    tokens_per_second_per_gpu: perSecond / world,
    mfu: (perSecond * flops) / (world * machine.flops[setting.precision]),
  };
}

/**
 * The host's optimizer beside the products that are made on the device, and what passes the link: the new weights once a step, all weights for each pass where they lie there too.
 * From stage 2 on a micro-batch's gradients are added to those of the host on the device, so that they pass twice but for the first
 * (DeepSpeed, zero/stage3.py: partition_grads; zero/stage_1_and_2.py: async_accumulate_grad_in_cpu_via_gpu).
 */
export function offloaded(setting: Setting, choice: Choice, made = 0): Record<string, number> {
  const { cluster, precision } = setting;
  const { offload, accumulation, zero_stage } = choice;
  const width = precision === "fp32" ? 4 : 2;
  const trained = hostedParameters(setting);
  const shard = (width * trained) / worldOf(cluster);
  const fixed = hostedFrozen(setting, choice) / worldOf(cluster);
  const gradients = zero_stage >= 2 ? 2 * accumulation - 1 : 1;
  const passes = offload === "all" ? 2 * accumulation : 0;
  return {
    optimizer: made + (steppedBytes(setting) * trained) / cluster.nodes / hostAdamRate(cluster).rate,
    offload: (shard * (gradients + 1 + passes) + fixed * passes) / hostLink,
  };
}
