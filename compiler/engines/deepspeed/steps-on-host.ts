import type { HostedStep } from "../engine.ts";

/**
 * Why the host cannot step with an optimizer whose states DeepSpeed offloads. It hands a program's own optimizer tensors in host memory, once
 * `zero_force_ds_cpu_optimizer` is false, and torch's take them. Muon's products stay on the device (zero/stage_1_and_2.py:
 * _apply_muon_updates_cpu_offload).
 */
export function whyNotOnHost({ optimizer }: HostedStep): string | null {
  // bitsandbytes/functional.py: optimizer_update_8bit_blockwise.
  return optimizer?.name === "adam8bit" ? "bitsandbytes updates moments of eight bits on GPUs only" : null;
}

export const stepsOnHost = (stage: HostedStep): boolean => whyNotOnHost(stage) === null;
