/** Where the figures of a whole run come from. */
import type { Origin } from "../../../dsl/eval/origin.ts";

const derived = (rule: string, inputs: readonly string[], source?: string): Origin =>
  source === undefined ? { kind: "derived", rule, inputs } : { kind: "derived", rule, inputs, source };

const storage = "1 GB/s a node: Llama 3, arXiv 2407.21783, section 3.3.1 (2 TB/s for 2,048 nodes)";

export const totalOrigins: Readonly<Record<string, Origin>> = {
  "total.hours": derived("sum of the parts", ["total.parts"]),
  "total.gpu_hours": derived("hours * world", ["total.hours", "layout.world"]),
  "total.cost": derived("gpu_hours * price of the cluster, of spot nodes its spot_price", ["total.gpu_hours"]),
  "total.cost_per_device_hour": derived("(on-demand nodes * price + spot nodes * spot_price) / nodes", [
    "layout.nodes",
  ]),
  "total.spot_nodes": derived("nodes of the launch that may be reclaimed: `spot = workers` all but the first", [
    "layout.nodes",
  ]),
  "total.parts.steps": derived("steps * step / 3600", ["total.steps", "time.step"]),
  "total.parts.evaluation": derived(
    "evaluations, including one at the end * batches of each * the forward pass's share of a micro-batch",
    ["total.steps", "time.parts", "model.flops_per_token.hardware"],
    "forward is a third of what is computed without recomputation",
  ),
  "total.parts.checkpoints": derived(
    "saves, including one at the end * bytes / what the nodes write; with async_save only the copy to the host",
    ["total.steps", "memory.checkpoint", "layout.nodes", "layout.zero_stage"],
    storage,
  ),
  "total.parts.loading": derived(
    "what reading a batch takes beyond the step that hides it",
    ["batch.tokens_per_step", "layout.nodes", "time.step"],
    storage,
  ),
  "total.parts.failures": derived(
    "(e^(failures between two checkpoints) - 1) * (hours between two failures + 10 min until all is tested + start + reading the checkpoint) for each checkpoint, less the hours of work; at most as much as all else",
    ["total.failures", "memory.checkpoint"],
    "Daly 2006, doi 10.1016/j.future.2004.11.016, section 3; MegaScale, arXiv 2402.15627, section 4",
  ),
  "total.parts.start": derived(
    "10 s of imports + 5 s until 2,048 ranks have joined, less for fewer",
    ["layout.world"],
    "measured on the training program; MegaScale, arXiv 2402.15627, section 3.5",
  ),
  "total.failures": derived(
    "419 in 54 days of 16,384 GPUs",
    ["layout.world", "total.parts.steps"],
    "Llama 3, arXiv 2407.21783, section 3.3.4",
  ),
  "total.uncounted": derived(
    "evaluation of a split of unknown length; the speed of disks; all that failures cost where more than ten are expected between two checkpoints",
    ["total.failures"],
  ),
  "total.energy_kwh": derived(
    "gpu_hours * power of the device * 1.82 for the rest of its node; cooling and losses of the building (PUE) are not included",
    ["total.gpu_hours"],
    "data sheet of the device; NVIDIA DGX H100 datasheet: 10.2 kW with eight GPUs of 700 W",
  ),
};
