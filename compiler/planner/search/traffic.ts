/** Seconds in which replicas exchange gradients and weights at least: as if messages took no time to start. */
import { collectiveSeconds, groupOf } from "../physics/collective.ts";
import type { Engine } from "../physics/engine.ts";
import type { Layout } from "../physics/layout.ts";
import type { Machine } from "../physics/machine.ts";
import type { Held } from "../physics/parameters.ts";
import type { TimeConstants } from "../physics/time.ts";

export interface Traffic {
  /** For each micro-batch, and once a step. */
  readonly each: number;
  readonly once: number;
}

export function trafficOf(
  { dense, expert, frozen = 0 }: Held,
  layout: Layout,
  engine: Engine,
  machine: Machine,
  constants: TimeConstants,
): Traffic {
  const { zero, data, context, tensor, shard } = layout;
  const held = layout.expert * layout.expert_tensor;
  const of = (parameters: number, unchanged: number, group: ReturnType<typeof groupOf>): Traffic => {
    const cost = (kind: "reduce" | "gather", bytes: number): number =>
      collectiveSeconds(kind, bytes, group, machine, constants, 0);
    const gradients = engine.reduced * parameters;
    if (zero === 0) return { each: 0, once: cost("reduce", gradients) };
    const scattered = cost("gather", gradients);
    if (zero === 3)
      return { each: 2 * cost("gather", (engine.gathered ?? 2) * (parameters + unchanged)) + scattered, once: 0 };
    const gathered = cost("gather", (engine.gathered ?? engine.states.weights) * parameters);
    return zero === 2 ? { each: scattered, once: gathered } : { each: 0, once: scattered + gathered };
  };
  const replicas = groupOf(zero === 3 ? (shard ?? data * context) : data * context, tensor, machine.domain);
  const a = of(dense, frozen, replicas);
  const b = of(expert, 0, groupOf(Math.max(1, (data * context * tensor) / held), held, machine.domain));
  return { each: a.each + b.each, once: a.once + b.once };
}
