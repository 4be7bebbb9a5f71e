import type { BlockKind } from "../../dsl/kind.ts";
import { duration, integer, number, quantity, string } from "../../dsl/types/type.ts";

const bytes = quantity([{ byte: 1 }], { min: 0 });
const rate = quantity([{ byte: 1, second: -1 }], { min: 1 });
const compute = quantity([{ flop: 1, second: -1 }], { min: 1 });

/** A machine that is busy with other work may be off by more than the whole. */
const noisy = (whole: string) => number({ min: 0, percent: whole });

/** The properties of `Calibration`; rates are those of one device, on a CPU of one core. */
export const calibration: BlockKind = {
  name: "calibration",
  doc: "Measurements of the cluster; `cdrc calibrate` writes them and the planner uses them",
  properties: {
    measured: { type: string, doc: "the day it was measured" },
    runs: { type: integer({ min: 0 }), doc: "number of runs it was learned from" },
    fp32: { type: compute, doc: "speed of a large matrix product in fp32" },
    bf16: { type: compute, doc: "speed of a large matrix product in bf16" },
    attention: { type: compute, doc: "speed of the attention core" },
    kernels: {
      type: rate,
      doc: "bytes of activations that the kernels between the products process per second",
    },
    optimizer: {
      type: quantity([{ param: 1, second: -1 }], { min: 1 }),
      doc: "parameters updated per second",
    },
    layer: { type: duration, doc: "host time to launch one layer's kernels, forward and backward" },
    fork: { type: duration, doc: "extra time of a layer if several cores share its kernels" },
    step: { type: duration, doc: "remaining time of a step" },
    link: { type: rate, doc: "bandwidth of a rank in a long collective" },
    latency: { type: duration, doc: "latency of one round of a collective" },
    resident: { type: bytes, doc: "memory of a training process before its model" },
    heap: { type: noisy("the allocated memory"), doc: "memory of the process beyond the allocated memory" },
    time_error: { type: noisy("a step"), doc: "half-width of the 80 % interval of a step's time" },
    memory_error: { type: noisy("the peak"), doc: "half-width of the 80 % interval of a rank's peak" },
  },
};
