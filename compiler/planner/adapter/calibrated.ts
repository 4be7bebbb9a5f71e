/** What was measured of a cluster of GPUs, as the physics' constants, and back. */
import type { Calibration } from "../../calibration.ts";
import { leastTimeError } from "../cpu/errors.ts";
import type { Constants } from "../physics/constants/index.ts";
import type { Format, Machine } from "../physics/machine.ts";

/** The fused core runs its products three and a half times (block-time.ts); a calibration counts three passes. */
const corePasses = 3.5 / 3;

/** Figures that a calibration has take the place of those that were fitted elsewhere. `format`: in which products run. */
export function calibratedBy(
  constants: Constants,
  machine: Machine,
  format: Format,
  calibration: Partial<Calibration> | undefined,
): Constants {
  if (calibration === undefined) return constants;
  const { attention, kernels, optimizer, layer, step, link, latency, time_error } = calibration;
  const rate = calibration[format === "fp32" ? "fp32" : "bf16"];
  type Some = Readonly<Record<string, number>>;
  const given = (value: number | null | undefined, of: (value: number) => Some): Some =>
    value == null ? {} : of(value);
  return {
    ...constants,
    ...given(rate, (value) => ({ products: value / machine.flops[format] })),
    ...given(attention, (value) => ({ core: (value * corePasses) / machine.flops[format] })),
    ...given(kernels, (value) => ({ traffic: (constants.memory * machine.bandwidth) / value })),
    ...given(optimizer, (value) => ({ optimizer: machine.bandwidth / value })),
    ...given(layer, (value) => ({ host: value })),
    ...given(step, (value) => ({ step: value })),
    ...given(link, (value) => ({ near: value / machine.link })),
    ...given(latency, (value) => ({ near_latency: value })),
    ...given(time_error, (value) => ({ time_interval: Math.asinh(Math.max(leastTimeError, value)) })),
  };
}

/** The same figures out of constants: where a calibration begins. The device's memory was never measured so. */
export function calibrationOf(constants: Constants, machine: Machine): Omit<Calibration, "resident" | "heap"> {
  return {
    fp32: constants.products * machine.flops.fp32,
    bf16: constants.products * machine.flops.bf16,
    attention: (constants.core * machine.flops.bf16) / corePasses,
    kernels: (constants.memory * machine.bandwidth) / constants.traffic,
    optimizer: machine.bandwidth / constants.optimizer,
    layer: constants.host,
    fork: 0,
    step: constants.step,
    link: constants.near * machine.link,
    latency: constants.near_latency,
    time_error: null,
    memory_error: null,
  };
}
