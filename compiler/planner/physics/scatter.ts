/** How stage 3 sends weights and gradients, which may be in fewer bits than it computes with (ZeRO++, arXiv 2306.10209). */
import { collectiveSeconds, type Group, type NetworkConstants } from "./collective.ts";
import type { Engine } from "./engine.ts";
import type { Machine } from "./machine.ts";

export const sentBytes = ({ sent, gathered }: Engine): number => sent ?? gathered ?? 2;

/**
 * Gradients of so many parameters to their shards. In fewer bits they go in two hops, all to all: to the ranks of a node that stand for
 * theirs in other nodes, which add them up, and from there to those (deepspeed, runtime/comm/coalesced_collectives.py:
 * all_to_all_quant_reduce). On one node they go as they are (runtime/zero/stage3.py: __avg_scatter_grads).
 */
export function scatterSeconds(
  parameters: number,
  group: Group,
  { hopped, reduced }: Engine,
  machine: Machine,
  constants: NetworkConstants,
  messages: number,
): number {
  const cost = (bytes: number, among: Group): number =>
    collectiveSeconds("gather", bytes, among, machine, constants, messages);
  const { ranks, near } = group;
  if (hopped === undefined || ranks <= near) return cost(reduced * parameters, group);
  const bytes = hopped * parameters;
  return cost(bytes, { ranks: near, near }) + cost(bytes / near, { ranks: ranks / near, near: 1 });
}
