/** Bytes of weights, gradients and optimizer states of one rank. */
import type { Engine } from "./engine.ts";
import type { Layout } from "./layout.ts";
import type { Held } from "./parameters.ts";

export interface States {
  readonly weights: number;
  readonly gradients: number;
  /** Of those, what backward makes anew. */
  readonly transient: number;
  readonly optimizer: number;
  /** What lives only while the optimizer steps. */
  readonly step: number;
}

/**
 * Stage 1 shards the optimizer's states, 2 the gradients too, 3 the weights too (Rajbhandari et al. 2020, arXiv
 * 1910.02054, figure 1). Experts are sharded over the ranks that hold the same ones: `world / (etp e p)`.
 */
export function stateBytes(held: Held, layout: Layout, engine: Engine): States {
  const { zero, data, context, tensor, expert, expert_tensor } = layout;
  const ranks = layout.shard ?? data * context;
  const same = layout.shard ?? Math.max(1, (data * context * tensor) / (expert * expert_tensor));
  const over = (stage: number): number =>
    zero >= stage ? held.dense / ranks + held.expert / same : held.dense + held.expert;
  // FSDP2 holds shards of the weights at stage 2 as well, whose bytes its descriptor says already divided.
  const cut = zero === 2 && engine.unshards === true;
  const fixed = ((held.frozen ?? 0) - (held.tables ?? 0)) / (zero >= 3 || cut ? ranks : 1);
  const tables = (held.tables ?? 0) / (zero >= 3 || cut ? ranks : 1);
  const moments = (held.moments ?? 0) / (zero >= 1 ? ranks : 1);
  const { weights, gradients, transient, hooked = 0, optimizer, step, frozen } = engine.states;
  const own = cut ? weights * ranks : weights;
  const made = zero < 2 ? transient : 0;
  const again =
    zero < 3 || layout.second === undefined
      ? 0
      : ((engine.gathered ?? 2) * (held.dense + held.expert + (held.frozen ?? 0))) / layout.second;
  return {
    // What is frozen needs no copy in 32 bits.
    weights:
      again +
      weights * over(3) +
      Math.min(frozen ?? 2, own) * fixed +
      Math.min(Math.max(2, frozen ?? 2), own) * tables,
    gradients: (gradients + made + (zero === 0 && ranks > 1 ? hooked : 0)) * over(2),
    transient: made * over(2),
    optimizer: optimizer * over(1) + moments,
    step: step * over(1),
  };
}
