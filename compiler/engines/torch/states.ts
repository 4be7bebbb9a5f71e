import type { Widths } from "../../models/measure.ts";
import type { StateInput, States, Traffic } from "../cpu-costs.ts";
import type { Precision } from "../engine.ts";

/**
 * The Trainer keeps fp32 weights in every precision and runs the model under autocast (accelerate, accelerator.py:
 * prepare_model), so the residual stream stays fp32 and products run in 16 bits. FSDP2 gathers all weights in 16 bits, tables and norms
 * too, and casts what a layer gives to them (accelerate, FullyShardedDataParallelPlugin.set_mixed_precision).
 */
export function widths(precision: Precision, sharded = false): Widths {
  const compute = precision === "fp32" ? 4 : 2;
  return { compute, residual: sharded ? compute : 4 };
}

/**
 * fp32 weights and gradients, two fp32 moments (torch/optim/adamw.py). Autocast's 16-bit copies of the matrices live
 * from their first use to the end of backward (torch/amp/autocast_mode.py: cache_enabled), so they count as buffers.
 * With several ranks DDP holds a second copy of the gradients in its buckets (torch/nn/parallel/distributed.py,
 * gradient_as_bucket_view=False, which the Trainer leaves alone).
 */
export function states(input: StateInput): States {
  if (input.zero_stage > 0 && input.world > 1) return sharded(input);
  const { parameters, matrices, precision, world } = input;
  const buckets = world > 1 ? 4 * parameters : 0;
  const copies = precision === "fp32" ? 0 : 2 * matrices;
  return {
    weights: 4 * parameters,
    gradients: 4 * parameters,
    optimizer: 8 * parameters,
    buffers: buckets + copies,
    step: buckets,
    host: 0,
  };
}

/** FSDP2: fp32 shards of everything, and what is gathered, in the type that products read: all at stage 2, two layers at stage 3. */
function sharded({ parameters, world, layer, precision, zero_stage }: StateInput): States {
  const width = precision === "fp32" ? 4 : 2;
  const gathered = zero_stage === 3 ? Math.min(parameters, 2 * layer) : parameters;
  return {
    weights: (4 * parameters) / world,
    gradients: (4 * parameters) / world,
    optimizer: (8 * parameters) / world,
    buffers: width * (gathered + Math.min(parameters, layer)),
    step: 0,
    host: 0,
  };
}

/**
 * DDP reduces fp32 gradients once a step (`no_sync` on the micro-steps before). FSDP2 gathers weights and scatters gradients of every
 * micro-step, at stage 3 weights once more for backward.
 */
export function traffic(input: StateInput, accumulation: number): Traffic {
  if (input.zero_stage > 0 && input.world > 1) {
    const moved = (input.precision === "fp32" ? 4 : 2) * input.parameters * accumulation;
    const gathers = input.zero_stage === 3 ? 2 : 1;
    return { all_reduce: 0, reduce_scatter: moved, all_gather: gathers * moved, host: 0 };
  }
  return { all_reduce: 4 * input.parameters, reduce_scatter: 0, all_gather: 0, host: 0 };
}
