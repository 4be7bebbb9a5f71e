/** A plan's numbers in words, for messages and reasons. */
import type { MemoryPlan } from "../plan.ts";
import { detailText, type Details } from "./details.ts";
import type { Choice } from "./setting.ts";

export function bytes(n: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = n;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value >= 100 || unit === 0 ? value.toFixed(0) : value.toFixed(1)} ${units[unit]}`;
}

export function layoutText(choice: Choice, details: Details = {}): string {
  const splits = [
    "tensor_parallel",
    "pipeline_parallel",
    "virtual_pipeline",
    "context_parallel",
    "expert_parallel",
    "expert_tensor_parallel",
  ] as const;
  const { repeats, modules } = choice;
  const said = {
    ...details,
    ...(repeats === undefined ? {} : { block: repeats }),
    ...(modules === undefined ? {} : { modules }),
  };
  return [
    ...splits.flatMap((split) => (choice[split] === 1 ? [] : [`${split} ${choice[split]}`])),
    `micro_batch ${choice.micro_batch}`,
    `zero_stage ${choice.zero_stage}`,
    ...(choice.recompute === "none" ? [] : [`recompute ${detailText(choice.recompute, said)}`]),
    ...(choice.offload === "none" ? [] : [`offload ${detailText(choice.offload, details)}`]),
  ].join(", ");
}

/** The largest part of a plan's memory, with its name. */
export function largestPart({ parts }: MemoryPlan): string {
  const [name, value] = Object.entries(parts).reduce((best, part) => (part[1] > best[1] ? part : best));
  return `${name} (${bytes(value)})`;
}
