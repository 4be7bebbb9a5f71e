import type { DerivedField } from "../../dsl/kind.ts";

/** What one may ask of the plan of a stage. */
export const planFields: NonNullable<DerivedField["fields"]> = {
  memory: {
    doc: "estimates of memory",
    fields: {
      peak: { doc: "peak memory of a device" },
      host_peak: { doc: "peak host memory of a node" },
      checkpoint: { doc: "bytes of a checkpoint" },
    },
  },
  step_time: { doc: "time of an optimizer step" },
  steps_per_second: { doc: "optimizer steps in a second" },
  duration: { doc: "time of the whole stage" },
  tokens_per_second: { doc: "throughput of all devices" },
  tokens_per_second_per_gpu: { doc: "throughput of one device" },
  mfu: {
    doc: "share of a device's dense peak, in the stage's own precision, that the model's operations use: causal attention counted by half, recomputation not at all (Megatron-LM's num_floating_point_operations)",
  },
  cost: { doc: "price of the devices, if the cluster has a price" },
  energy: {
    doc: "upper limit of the energy, if the power of the device is known: devices at their rated power, and the nodes around them",
  },
};
