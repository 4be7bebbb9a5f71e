/** All layouts between which the planner chooses, without listing them. */
import type { Settings } from "../../pipeline.ts";
import { allows } from "../allows.ts";
import { microBatches } from "../batch.ts";
import { replicasOf, type Choice, type Setting, type Split } from "../setting.ts";
import { splits } from "../splits.ts";

/** What is chosen beside a split and a micro-batch. */
export type Variant = Pick<Choice, "zero_stage" | "recompute" | "offload">;

/** A split with the micro-batches that divide its share of the batch. */
export interface Branch {
  readonly split: Split;
  /** Samples of a step that one replica sees. */
  readonly perReplica: number;
  readonly micros: readonly number[];
}

export interface Space {
  readonly branches: readonly Branch[];
  readonly variants: readonly Variant[];
  readonly size: number;
}

export function spaceOf(setting: Setting, layout: Settings): Space {
  const known = new Map<number, readonly number[]>();
  const variants = variantsOf(setting, layout);
  const branches: Branch[] = [];
  let size = 0;
  for (const split of splits(setting, layout)) {
    const replicas = replicasOf(setting.cluster, split);
    if (setting.globalBatch % replicas !== 0 || !allows(layout, "data_parallel", replicas)) continue;
    const perReplica = setting.globalBatch / replicas;
    // An interleaved schedule hands micro-batches over in groups of one for each stage, unless the engine's own words say how many.
    const turns = split.virtual_pipeline > 1 && !layout.given.has("virtual_pipeline");
    const whole = turns ? perReplica / split.pipeline_parallel : perReplica;
    if (!Number.isInteger(whole)) continue;
    let micros = known.get(whole);
    if (micros === undefined)
      known.set(whole, (micros = microBatches(whole, 1).filter((m) => allows(layout, "micro_batch", m))));
    if (micros.length === 0) continue;
    branches.push({ split, perReplica, micros });
    size += micros.length * variants.length;
  }
  return { branches, variants, size };
}

function variantsOf(setting: Setting, layout: Settings): Variant[] {
  const { zero_stages, recompute, offload } = setting.engine.capabilities;
  // On a CPU machine the host is where everything lies already: only who asks for offload gets it.
  const asked = setting.cluster.device.kind === "gpu" || layout.given.has("offload");
  const places = (asked ? offload : offload.filter((place) => place === "none")).filter((o) =>
    allows(layout, "offload", o),
  );
  const repeats = recompute.filter(
    (r) => allows(layout, "recompute", r) && (r !== "selective" || pays(setting, layout)),
  );
  return zero_stages
    .filter((stage) => allows(layout, "zero_stage", stage))
    .flatMap((zero_stage) =>
      places
        .filter((place) => (place === "all" ? zero_stage === 3 : place === "none" || zero_stage > 0))
        .flatMap((place) => repeats.map((again) => ({ zero_stage, offload: place, recompute: again }))),
    );
}

/** Recomputing the attention core frees what only the attention that materialises scores keeps. */
function pays({ attention }: Setting, layout: Settings): boolean {
  return attention === "eager" || layout.given.get("recompute")?.value === "selective";
}

export function choiceOf({ split, perReplica }: Branch, micro_batch: number, variant: Variant): Choice {
  return { ...split, micro_batch, accumulation: perReplica / micro_batch, ...variant };
}

/** Every layout of a space. */
export function choicesOf({ branches, variants }: Space): Choice[] {
  return branches.flatMap((branch) =>
    branch.micros.flatMap((micro) => variants.map((variant) => choiceOf(branch, micro, variant))),
  );
}
