/** Whether two DeepSpeed configurations say the same to the engine. */
import { usualClipping } from "../../engines/deepspeed/clipping.ts";
import { modelOf, modelOfSection } from "../../engines/deepspeed/table.ts";
import { newest } from "../../engines/deepspeed/versions.ts";
import type { Document } from "../../document.ts";
import { leaves, type Section } from "./deepspeed-document.ts";
import { inTable } from "../../../dsl/in-table.ts";

/** What the training program brings itself, or hands over in its own way. */
const handed = /^(?:optimizer|scheduler)(?:\.|$)|^zero_allow_untested_optimizer$|^zero_force_ds_cpu_optimizer$/;

/** Other names of one key. */
const names: Readonly<Record<string, string>> = {
  bfloat16: "bf16",
  "zero_optimization.prefetch_bucket_size": "zero_optimization.stage3_prefetch_bucket_size",
  "zero_optimization.param_persistence_threshold": "zero_optimization.stage3_param_persistence_threshold",
};

/** What the engine takes where a key is left out, for keys that no class of it declares. */
const usual: Readonly<Record<string, Document>> = {
  gradient_clipping: usualClipping(newest),
  gradient_accumulation_steps: 1,
};

/** Leaves whose value is not the one that it was, by their paths: first those of `before`, then those that came to it. */
export function changedKeys(before: Section, after: Section): readonly string[] {
  const [left, right] = [read(before), read(after)];
  const stage = Number(left.get("zero_optimization.stage") ?? 0);
  return [...new Set([...left.keys(), ...right.keys()])].filter((path) => {
    if (handed.test(path) || isIdle(path, left, right)) return false;
    const [one, other] = [left, right].map((config) => config.get(path) ?? defaultOf(path, stage));
    return JSON.stringify(one ?? null) !== JSON.stringify(other ?? null);
  });
}

function read(config: Section): ReadonlyMap<string, Document> {
  return new Map(
    [...leaves(config)].map(([path, value]) => {
      const [section = "", ...rest] = path.split(".");
      const renamed = inTable(names, section) === undefined ? path : [inTable(names, section), ...rest].join(".");
      return [inTable(names, renamed) ?? renamed, value];
    }),
  );
}

/** Settings of a precision that is off, or of a device that holds nothing. */
function isIdle(path: string, left: ReadonlyMap<string, Document>, right: ReadonlyMap<string, Document>): boolean {
  const [section = "", name] = path.split(".");
  if (name === undefined) return false;
  const off = (config: ReadonlyMap<string, Document>, key: string, value: Document): boolean =>
    (config.get(key) ?? value) === value;
  if (section === "fp16" || section === "bf16")
    return off(left, `${section}.enabled`, false) && off(right, `${section}.enabled`, false);
  const stage = Number(left.get("zero_optimization.stage") ?? 0);
  if (path.startsWith("zero_optimization.offload_param") && stage < 3) return true;
  if (path.startsWith("zero_optimization.offload_optimizer") && stage === 0) return true;
  const offload = /^zero_optimization\.offload_(?:optimizer|param)/.exec(path)?.[0];
  return offload !== undefined && off(left, `${offload}.device`, "none") && off(right, `${offload}.device`, "none");
}

export function defaultOf(path: string, stage: number): Document | undefined {
  if (Object.hasOwn(usual, path)) return usual[path];
  // runtime/zero/config.py: overlap_comm_valid
  if (path === "zero_optimization.overlap_comm") return stage === 3;
  const keys = path.split(".");
  let model = inTable(modelOfSection, keys[0] ?? "");
  for (const [at, key] of keys.slice(1).entries()) {
    if (model === undefined) return undefined;
    const fields = modelOf(model);
    const field = inTable(fields, key) ?? Object.values(fields).find(({ alias }) => alias === key);
    if (at === keys.length - 2) return field?.default;
    model = field?.model;
  }
  return undefined;
}

