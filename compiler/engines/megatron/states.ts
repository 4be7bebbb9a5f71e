import type { Widths } from "../../models/measure.ts";
import type { Precision, StateInput, States, Traffic } from "../engine.ts";

/** The whole model is cast, the residual stream too (megatron/core/transformer/module.py: Float16Module). */
export function widths(precision: Precision): Widths {
  return precision === "fp32" ? { compute: 4, residual: 4 } : { compute: 2, residual: 2 };
}

/**
 * Bytes of a parameter: 2 for the weight, 4 for its gradient in the fp32 buffer, 12 for the master weight and two moments, which the
 * distributed optimizer shards over the ranks that hold the same parameter (megatron/training/theoretical_memory_usage.py:
 * compute_weight_and_optimizer_memory, 18 or 6 + 12 / d). In fp32 the weight is its own master.
 */
export function states({ parameters, experts, world, expert_world, precision, zero_stage }: StateInput): States {
  const [weight, optimizer] = precision === "fp32" ? [4, 8] : [2, 12];
  const dense = parameters - experts;
  const held = zero_stage === 0 ? parameters : dense / world + experts / expert_world;
  return {
    weights: weight * parameters,
    gradients: 4 * parameters,
    optimizer: optimizer * held,
    buffers: 0,
    step: 0,
    host: 0,
  };
}

/**
 * Gradients are reduced in fp32 once a step; the distributed optimizer scatters them and gathers the new weights
 * (megatron/core/distributed/param_and_grad_buffer.py).
 */
export function traffic({ parameters, precision, zero_stage }: StateInput): Traffic {
  const weight = precision === "fp32" ? 4 : 2;
  return zero_stage === 0
    ? { all_reduce: 4 * parameters, reduce_scatter: 0, all_gather: 0, host: 0 }
    : { all_reduce: 0, reduce_scatter: 4 * parameters, all_gather: weight * parameters, host: 0 };
}
