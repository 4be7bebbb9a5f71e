/** The few numbers that only measurement gives, by engine and machine. */
import type { Machine } from "../machine.ts";
import type { MemoryConstants } from "../memory.ts";
import type { TimeConstants } from "../time.ts";
import { fitted } from "./fitted.ts";

export interface Constants extends TimeConstants, MemoryConstants {
  /** Share of a card that runs fill before they fail. */
  readonly usable: number;
  /** Half-widths of the 80 % intervals on a log scale, from the residuals of the fit. */
  readonly time_interval: number;
  /** That of a time on fewer or more nodes than any that were measured, which were these. */
  readonly time_interval_beyond: number;
  readonly nodes_least: number;
  readonly nodes_most: number;
  readonly memory_interval: number;
  readonly [name: string]: number;
}

/**
 * Where nothing was measured: shares of data sheets that large messages and products reach on every machine we know
 * (stas00/ml-engineering: matrix products 0.71 to 0.87, NCCL 0.78 of NVLink and 0.9 of the network between two nodes).
 */
export const generic: Constants = {
  products: 0.7,
  narrow: 0.7,
  core: 0.35,
  floor: 5e-6,
  memory: 0.8,
  traffic: 3,
  host: 2.5e-3,
  tensor_hidden: 0.2,
  near: 0.78,
  far: 0.8,
  near_latency: 5e-6,
  far_latency: 3e-5,
  congestion: 0.1,
  bucket: 100,
  data_hidden: 0.5,
  send: 5e-5,
  send_far: 1e-4,
  stall: 1e-5,
  hiccup: 5e-2,
  skew: 1e-6,
  optimizer: 32,
  step: 0.01,
  slack: 1,
  runtime: 1e9,
  usable: 0.96,
  time_interval: 0.4,
  time_interval_beyond: 0.5,
  nodes_least: 1,
  nodes_most: Infinity,
  memory_interval: 0.3,
};

/**
 * Share of the data sheet's peak that the best product of a card was measured to reach (stas00/ml-engineering, MAMF): clocks under load leave some
 * further below it than others.
 */
const reached: Readonly<Record<string, number>> = { A100: 0.87, B200: 0.775, B300: 0.775, GB200: 0.73 };
const usual = 0.8;

/** Constants of all cards together on one of them: what products and cores reach is a share of what its best product does. */
export function onCard(constants: Constants, gpu: string): Constants {
  const share = (reached[gpu] ?? usual) / usual;
  return share === 1
    ? constants
    : { ...constants, products: share * constants.products, core: share * constants.core };
}

export function nodesFor(world: number, { domain }: Pick<Machine, "domain">): number {
  return Math.ceil(world / domain);
}

/** Half-width of the interval of a time on as many nodes, on a log scale. */
export function timeIntervalOn(nodes: number, constants: Constants): number {
  const { time_interval, time_interval_beyond, nodes_least, nodes_most } = constants;
  return nodes < nodes_least || nodes > nodes_most ? time_interval_beyond : time_interval;
}

/**
 * Those of the engine on the machine; else of the engine on all machines, for they are shares of data sheets; else of all
 * engines.
 */
export function constantsOf(engine: string, gpu: string): Constants {
  const named = kin[engine] ?? engine;
  const own = fitted[`${engine}/${gpu}`] ?? fitted[`${named}/${gpu}`];
  return own ?? onCard(fitted[`${named}/any`] ?? fitted["any/any"] ?? generic, gpu);
}

/** Engines that run the same kernels and collectives as one that was measured. */
const kin: Readonly<Record<string, string>> = { ddp: "fsdp", deepspeed: "fsdp" };
