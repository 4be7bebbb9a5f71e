/** Seconds in which replicas exchange gradients and weights at least: as if messages took no time to start. */
import { collectiveSeconds } from "../physics/collective.ts";
import type { Engine } from "../physics/engine.ts";
import type { Layout } from "../physics/layout.ts";
import type { Machine } from "../physics/machine.ts";
import type { Held } from "../physics/parameters.ts";
import { denseReplicas, expertReplicas, type Replicas } from "../physics/replicas.ts";
import { scatterSeconds, sentBytes } from "../physics/scatter.ts";
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
  const { zero } = layout;
  const of = (parameters: number, unchanged: number, { group, back, copies, shards }: Replicas): Traffic => {
    const cost = (kind: "reduce" | "gather", bytes: number, among = group): number =>
      collectiveSeconds(kind, bytes, among, machine, constants, 0);
    const gradients = engine.reduced * parameters;
    if (zero === 0) return { each: 0, once: cost("reduce", gradients) };
    const scattered = cost("gather", gradients) + cost("reduce", gradients / shards, copies);
    if (zero === 3) {
      const weights = sentBytes(engine) * (parameters + unchanged);
      const sent = scatterSeconds(parameters, group, engine, machine, constants, 0);
      const summed = cost("reduce", gradients / shards, copies);
      return { each: cost("gather", weights) + cost("gather", weights, back) + sent + summed, once: 0 };
    }
    if (zero === 2 && engine.unshards === true)
      return { each: scattered + cost("gather", (engine.gathered ?? 2) * (parameters + unchanged)), once: 0 };
    const gathered = cost("gather", (engine.gathered ?? engine.states.weights) * parameters);
    return zero === 2 ? { each: scattered, once: gathered } : { each: 0, once: scattered + gathered };
  };
  const a = of(dense, frozen, denseReplicas(layout, machine.domain));
  const b = of(expert, 0, expertReplicas(layout, machine.domain));
  return { each: a.each + b.each, once: a.once + b.once };
}
