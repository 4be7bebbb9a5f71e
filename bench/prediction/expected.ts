/** What fits are held to, and where those of wide sweeps begin. */
import { generic, type Constants } from "../../compiler/planner/physics/constants/index.ts";

/** Shares that nothing measured passes: the best product of an A100 is 271 of 312 TFLOP/s (stas00/ml-engineering, MAMF). */
export const most: Readonly<Record<string, number>> = {
  products: 0.87,
  narrow: 1,
  core: 0.8,
  near: 1.07,
  far: 1,
  congestion: 0.3,
  tensor_hidden: 0.95,
  data_hidden: 0.98,
};

/** How far each may well lie from what is expected of it, on a log scale: shares of data sheets little, latencies of programs much. */
export const spreads: Readonly<Record<string, number>> = {
  products: 0.15,
  narrow: 0.2,
  core: 0.4,
  floor: 0.7,
  traffic: 0.7,
  host: 0.3,
  tensor_hidden: 0.7,
  near: 0.15,
  far: 0.25,
  near_latency: 0.7,
  far_latency: 0.5,
  congestion: 1,
  bucket: 0.7,
  data_hidden: 0.3,
  send: 1,
  send_far: 1,
  stall: 4,
  skew: 4,
  optimizer: 0.3,
  step: 1,
};

/** Where fits of sweeps over many nodes begin, too: stages that wait for the network. */
export const slowNetwork: Constants = {
  ...generic,
  products: 0.6,
  core: 0.2,
  host: 4e-3,
  skew: 2e-3,
  stall: 0.3,
  send_far: 2e-3,
  send: 5e-4,
  far_latency: 5e-5,
  bucket: 500,
};
