import type { Settings } from "../pipeline.ts";
import type { MemoryPlan, TimePlan } from "../plan.ts";
import { allows } from "./allows.ts";
import { divisors } from "./divisors.ts";
import { memoryOf } from "./memory.ts";
import { replicasOf, type Choice, type Setting } from "./setting.ts";
import { splits } from "./splits.ts";
import { timeOf } from "./time.ts";
import { upper } from "./upper.ts";

export interface Evaluated {
  readonly setting: Setting;
  readonly choice: Choice;
  readonly memory: MemoryPlan;
  readonly time: TimePlan;
  readonly fits: boolean;
}

/** Every choice that divides the batch, that the engine has and that the layout allows. */
export function choices(setting: Setting, layout: Settings): Choice[] {
  const { zero_stages, recompute, offload } = setting.engine.capabilities;
  // On a CPU machine the host is where everything lies already: only who asks for offload gets it.
  const asked = setting.cluster.device.kind === "gpu" || layout.given.has("offload");
  const places = asked ? offload : offload.filter((place) => place === "none");
  const repeats = recompute.filter(
    (r) => allows(layout, "recompute", r) && (r !== "selective" || pays(r, setting, layout)),
  );
  const found: Choice[] = [];
  for (const split of splits(setting, layout)) {
    const replicas = replicasOf(setting.cluster, split);
    if (setting.globalBatch % replicas !== 0 || !allows(layout, "data_parallel", replicas)) continue;
    const perReplica = setting.globalBatch / replicas;
    for (const micro_batch of divisors(perReplica).filter((m) => allows(layout, "micro_batch", m))) {
      const accumulation = perReplica / micro_batch;
      // An interleaved schedule hands micro-batches over in groups of one for each stage.
      const isTurned = split.virtual_pipeline === 1 || accumulation % split.pipeline_parallel === 0;
      if (!isTurned && !layout.given.has("virtual_pipeline")) continue;
      for (const zero_stage of zero_stages.filter((z) => allows(layout, "zero_stage", z))) {
        for (const place of places.filter((o) => allows(layout, "offload", o))) {
          if ((place === "optimizer" && zero_stage === 0) || (place === "all" && zero_stage !== 3)) continue;
          for (const again of repeats) {
            found.push({ ...split, micro_batch, accumulation, zero_stage, recompute: again, offload: place });
          }
        }
      }
    }
  }
  return found;
}

/** Recomputing the attention core frees what only the attention that materialises scores keeps. */
function pays(recompute: "selective", { attention }: Setting, layout: Settings): boolean {
  return attention === "eager" || layout.given.get("recompute")?.value === recompute;
}

export function evaluate(setting: Setting, choice: Choice): Evaluated {
  const memory = memoryOf(setting, choice);
  const { cluster } = setting;
  const host = cluster.device.kind === "gpu" && cluster.ram !== null ? cluster.ram : Infinity;
  const most = memory.peak * upper(memory.error);
  const fits = most <= memory.usable && memory.host_peak * cluster.gpusPerNode <= 0.9 * host;
  return { setting, choice, memory, time: timeOf(setting, choice), fits };
}

/** Steps so close to the fastest are as good: the estimate cannot tell them apart. */
const indifference = 0.03;

/**
 * Plans in order of preference: the plainest of those whose step comes within 3 % of the fastest (less sharding, nothing
 * offloaded or recomputed, then the faster one), then the other ones that fit, fastest first. What does not fit comes
 * last, leanest first.
 */
export function rank(evaluated: readonly Evaluated[]): Evaluated[] {
  const fitting = evaluated.filter(({ fits }) => fits).sort((a, b) => a.time.step - b.time.step);
  const limit = (fitting[0]?.time.step ?? 0) * (1 + indifference);
  const [best] = fitting
    .filter(({ time }) => time.step <= limit)
    .sort((a, b) => burden(a) - burden(b) || a.time.step - b.time.step || a.memory.peak - b.memory.peak);
  const rest = evaluated.filter(({ fits }) => !fits).sort((a, b) => a.memory.peak - b.memory.peak);
  return best === undefined ? rest : [best, ...fitting.filter((one) => one !== best), ...rest];
}

function burden({ choice }: Evaluated): number {
  const { tensor_parallel, pipeline_parallel, context_parallel } = choice;
  const split = Math.log2(tensor_parallel * pipeline_parallel * context_parallel);
  // Optimizer states that are sharded over the replicas cost nothing.
  return (
    split +
    Math.max(0, choice.zero_stage - 1) +
    (choice.recompute === "none" ? 0 : 4) +
    (choice.offload === "none" ? 0 : 8)
  );
}
