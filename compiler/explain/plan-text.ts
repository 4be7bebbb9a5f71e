/** A value of a plan as people read it: its numbers have no units, and their places say which they are. */
import { show, number } from "../../dsl/types/value.ts";
import type { Dimension } from "../../dsl/types/units.ts";
import type { MemoryPlan } from "../plan.ts";

const units: readonly (readonly [place: RegExp, dimension: Dimension, factor?: number])[] = [
  [/^memory\.capacity$/, { byte: 1 }],
  [/^time\.(step|parts\.\w+)$/, { second: 1 }],
  [/^total\.(hours|parts\.\w+)$/, { second: 1 }, 3600],
  [/^(model|batch)\.(context|sequence|tokens_per_step)$/, { token: 1 }],
  [/^batch\.(micro_batch|global_batch)$/, { sample: 1 }],
];

export function planText(path: string, value: unknown): string {
  if (path === "memory.ranks")
    return (value as MemoryPlan["ranks"])
      .map(({ pipeline_stage, peak }) => `stage ${String(pipeline_stage)}: ${held(peak)}`)
      .join(", ");
  if (typeof value === "object" && value !== null) return partsText(path, value);
  if (typeof value !== "number") return String(value);
  if (/^(memory|time)\.error$/.test(path)) return `${String(Number((100 * value).toPrecision(3)))}%`;
  if (/^memory\.(usable|peak|host_peak|checkpoint|parts\.\w+)$/.test(path)) return held(value);
  const [, dimension, factor = 1] = units.find(([place]) => place.test(path)) ?? [];
  if (dimension !== undefined) return show(number(value * factor, dimension));
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(6)));
}

/** As the plan counts memory, and with more digits. */
const held = (bytes: number): string => {
  const [unit, size] = bytes >= 2 ** 30 / 10 ? ["GiB", 2 ** 30] : ["MiB", 2 ** 20];
  return `${Number((bytes / size).toPrecision(4))} ${unit}`;
};

/** `total 467840, active 467840`; groups in groups stand in brackets. */
function partsText(path: string, value: object): string {
  const parts = Object.entries(value).map(([name, part]) => {
    const text = planText(Array.isArray(value) ? path : `${path}.${name}`, part);
    const isGroup = typeof part === "object" && part !== null;
    return `${Array.isArray(value) ? "" : `${name} `}${isGroup ? `(${text})` : text}`;
  });
  return parts.length === 0 ? "nothing" : parts.join(", ");
}
