/** The least memory of a machine without a GPU that holds a model, and the most processes that fit as it is. */
import type { Settings } from "../../pipeline.ts";
import type { MemoryPlan } from "../../plan.ts";
import { find, fitsAny } from "../../planner/search/find.ts";
import type { Setting } from "../../planner/setting.ts";
import { upper } from "../../planner/upper.ts";

export function leastMachine(settings: readonly Setting[], layout: Settings): string | null {
  const needs = settings.flatMap((setting) =>
    find(setting, layout).ranked.map(({ memory }) => needed(setting, memory)),
  );
  const [first] = settings;
  if (first === undefined || needs.length === 0) return null;
  const { nodes, gpusPerNode } = first.cluster;
  const holds = (processes: number): boolean =>
    first.globalBatch % (processes * nodes) === 0 &&
    settings.some((setting) =>
      fitsAny({ ...setting, cluster: { ...setting.cluster, gpusPerNode: processes } }, layout),
    );
  let fewer = gpusPerNode - 1;
  while (fewer > 0 && !holds(fewer)) fewer--;
  const ram = `\`node { ram = ${gigabytes(Math.min(...needs))} GB }\` would be enough`;
  return fewer === 0 ? ram : `${ram}, or ${fewer} process${fewer === 1 ? "" : "es"} on this machine`;
}

/** Of a whole machine, at the upper end of the estimate's interval. */
function needed({ cluster }: Setting, { peak, error, usable, capacity }: MemoryPlan): number {
  return (cluster.gpusPerNode * peak * upper(error) * capacity) / usable;
}

/** Rounded up, to two digits or whole. */
function gigabytes(bytes: number): number {
  const unit = Math.max(0.1, 10 ** (Math.floor(Math.log10(bytes / 1e9)) - 1));
  return Number((Math.ceil(bytes / 1e9 / unit) * unit).toPrecision(6));
}
