/** Which ranks exchange gradients and weights with which. */
import { groupOf, type Group } from "./collective.ts";
import type { Layout } from "./layout.ts";

export interface Replicas {
  /** Ranks that reduce gradients to shards and gather weights from them; all replicas where nothing is cut. */
  readonly group: Group;
  /** Ranks that backward passes of stage 3 gather weights from. */
  readonly back: Group;
  /** Ranks that hold the same shard of other copies, and sum its gradients (hybrid sharding). */
  readonly copies: Group;
  /** Into how many parts a copy is cut before its gradients are summed with those of the others. */
  readonly shards: number;
}

export function denseReplicas(layout: Layout, domain: number): Replicas {
  const { zero, tensor, second } = layout;
  const all = layout.data * layout.context;
  const shards = zero >= 2 ? (layout.shard ?? all) : all;
  const group = groupOf(shards, tensor, domain);
  return {
    group,
    back: zero === 3 && second !== undefined ? groupOf(second, tensor, domain) : group,
    copies: groupOf(all / shards, tensor * shards, domain),
    shards,
  };
}

/** Experts are sharded over the ranks that hold the same ones; where groups hold a copy each, as everything else. */
export function expertReplicas(layout: Layout, domain: number): Replicas {
  if (layout.shard !== undefined || layout.second !== undefined) return denseReplicas(layout, domain);
  const held = layout.expert * layout.expert_tensor;
  const shards = Math.max(1, (layout.data * layout.context * layout.tensor) / held);
  const group = groupOf(shards, held, domain);
  return { group, back: group, copies: groupOf(1, 1, domain), shards };
}
