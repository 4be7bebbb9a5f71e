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
  doc: "What was measured of the cluster; `cdrc calibrate` writes it and the planner reckons with it",
  properties: {
    measured: { type: string, doc: "the day it was measured" },
    runs: { type: integer({ min: 0 }), doc: "how many runs it was learned from" },
    fp32: { type: compute, doc: "what a large product in fp32 reaches" },
    bf16: { type: compute, doc: "what a large product in bf16 reaches" },
    attention: { type: compute, doc: "what the attention core reaches" },
    kernels: {
      type: rate,
      doc: "bytes kept for the backward pass that the kernels around the products get through in a second",
    },
    optimizer: {
      type: quantity([{ param: 1, second: -1 }], { min: 1 }),
      doc: "parameters that are updated in a second",
    },
    layer: { type: duration, doc: "what the host takes to start one layer's work, forward and backward" },
    fork: { type: duration, doc: "what a layer takes more where several cores share its kernels" },
    step: { type: duration, doc: "what a step takes besides" },
    link: { type: rate, doc: "what a rank moves in a long collective" },
    latency: { type: duration, doc: "the least that one round of a collective takes" },
    resident: { type: bytes, doc: "memory of a training process before its model" },
    heap: { type: noisy("what is allocated"), doc: "how much more the process holds" },
    time_error: { type: noisy("a step"), doc: "half-width of the 80 % interval of a step's time" },
    memory_error: { type: noisy("the peak"), doc: "half-width of the 80 % interval of a rank's peak" },
  },
};
