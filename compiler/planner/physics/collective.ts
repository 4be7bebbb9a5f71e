import type { Machine } from "./machine.ts";

export interface NetworkConstants {
  /** Share of the fast link and of the network that a long message reaches. */
  readonly near: number;
  readonly far: number;
  /** Seconds of one step of a ring. */
  readonly near_latency: number;
  readonly far_latency: number;
  /** The network's share falls with the nodes of a group to this power: congestion. */
  readonly congestion: number;
  /** Megabytes of one message of the gradients. */
  readonly bucket: number;
}

/** Ranks of a group, and how many of them stand in one fast domain. */
export interface Group {
  readonly ranks: number;
  readonly near: number;
}

export type Collective = "reduce" | "gather" | "exchange";

/**
 * Seconds of one collective: `(n - 1) alpha + S / B`. A ring moves `(n - 1) / n` of the payload past each rank in as many steps; an
 * all-reduce is two such rings, one that adds up and one that hands round. Across nodes a group drives as many network cards as it has ranks
 * in a node. Measured on 1 to 64 nodes with 256 MB (Hugging Face's ultrascale playbook), collectives grow with the ranks by about
 * 35 microseconds each: the latency of a ring, not of a tree.
 */
export function collectiveSeconds(
  kind: Collective,
  bytes: number,
  group: Group,
  machine: Machine,
  constants: NetworkConstants,
  messages = 1,
): number {
  const { ranks, near } = group;
  if (ranks <= 1 || bytes === 0) return 0;
  const rounds = kind === "reduce" ? 2 : 1;
  const moved = ((ranks - 1) / ranks) * bytes * rounds;
  const steps = messages * rounds * (ranks - 1);
  const nodes = Math.ceil(ranks / near);
  const inside = constants.near * machine.link;
  if (nodes === 1) return steps * constants.near_latency + moved / inside;
  if (kind === "exchange") {
    // Every rank sends to every other over its own card; what stays in the domain takes the fast link meanwhile.
    const remote = (bytes * (ranks - near)) / ranks / (constants.far * machine.network);
    return messages * constants.far_latency * nodes + Math.max(remote, (bytes * near) / ranks / inside);
  }
  const cards = machine.network * near;
  const across = (constants.far * cards) / (nodes / 2) ** constants.congestion;
  return steps * constants.far_latency + moved / Math.min(inside, across);
}

/**
 * Seconds in which tokens reach the ranks of their experts, `copies` experts each. Where a dispatcher sends a token once
 * to each node and from there to each rank that wants it (DeepEP), what counts are the nodes and ranks that a token
 * meets: of `n` equally likely places it meets `n (1 - (1 - 1 / n) ^ copies)`.
 */
export function dispatchSeconds(
  bytes: number,
  copies: number,
  { ranks, near }: Group,
  once: boolean,
  machine: Machine,
  constants: NetworkConstants,
): number {
  if (ranks <= 1 || bytes === 0) return 0;
  const nodes = Math.ceil(ranks / near);
  if (!once) return collectiveSeconds("exchange", copies * bytes, { ranks, near }, machine, constants);
  const met = (places: number): number => places * (1 - (1 - 1 / places) ** copies) * (1 - 1 / places);
  const inside = (met(ranks) * bytes) / (constants.near * machine.link);
  if (nodes === 1) return (ranks - 1) * constants.near_latency + inside;
  return constants.far_latency * nodes + Math.max((met(nodes) * bytes) / (constants.far * machine.network), inside);
}

/** A group whose members stand `stride` ranks apart, in domains of `domain` ranks. */
export function groupOf(ranks: number, stride: number, domain: number): Group {
  return { ranks, near: Math.max(1, Math.min(ranks, Math.floor(domain / stride))) };
}
