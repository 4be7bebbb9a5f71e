/** The family of the language that says most of a Megatron model with fewest words. */
import { inexpressible } from "../../engines/megatron/lower/expressible.ts";
import type { Draft as Shape, Family, Property } from "../../models/family.ts";
import { families } from "../../models/index.ts";
import { complete } from "../../passes/size/complete.ts";
import { isArgument } from "../../passes/size/expressible.ts";
import type { FamilyName, Scalar } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";

export type Traits = { readonly [path: string]: Scalar };

export interface Fit {
  readonly family: FamilyName;
  /** What differs from what the family says, and so is written. */
  readonly written: Traits;
  /** Of these, what no model of the family has, and Megatron builds all the same. */
  readonly foreign: readonly string[];
  /** What no word says of a model of the family. */
  readonly missing: Traits;
}

/** Plain ones first: where several say the same, the first is taken. */
const candidates: readonly FamilyName[] = [
  ...(["gpt2", "llama", "gpt_neox", "nemotron", "qwen2", "qwen3", "mistral"] as const),
  ...(["mixtral", "qwen3_moe", "deepseek_v3", "deepseek_v2", "nemotron_h", "mamba2"] as const),
];

/** Words that a plainer family is worth. */
const preference = 0.4;

/** Groups of properties that a family has or has not. */
const groups = ["moe", "mla", "ssm"] as const;

/** Sizes that the engine's own words cannot contradict. */
const sizes: ReadonlySet<string> = new Set(["head_dim", "kv_heads", "heads", "d_ff", "pattern"]);

export function familyFor(traits: Traits): Fit {
  const fits = candidates.map((name, at) => {
    const fit = fitOf(name, families[name], traits);
    return { ...fit, cost: fit.cost + at * preference };
  });
  return fits.reduce((best, one) => (one.cost < best.cost ? one : best));
}

function fitOf(name: FamilyName, family: Family, traits: Traits): Fit & { readonly cost: number } {
  const has = (group: string): boolean =>
    Object.keys(family.defaults).some((property) => property.startsWith(`${group}.`));
  const wants = (group: string): boolean => Object.keys(traits).some((path) => path.startsWith(`${group}.`));
  let cost = 0;
  // A pattern may have experts and need not. What a family lacks, the engine's own words say; what it has too much, nothing takes away.
  for (const group of groups) {
    if (has(group) && !wants(group) && (group !== "moe" || !has("ssm"))) cost += 1000;
    if (wants(group) && !has(group)) cost += 300;
  }

  const written: Record<string, Scalar> = {};
  const missing: Record<string, Scalar> = {};
  const foreign: string[] = [];
  for (const [path, value] of Object.entries(traits)) {
    if (always.has(path) || (shown.has(path) && allows(family, path as Property, value))) {
      written[path] = value;
      continue;
    }
    const usual = shapeOf(family, written)?.[path];
    // What a family has none of is off.
    if (usual === value || (usual === undefined && (value === false || value === 0))) continue;
    if (allows(family, path as Property, value)) {
      written[path] = value;
      cost += 1;
    } else if (isArgument(path) && path in family.defaults) {
      written[path] = value;
      foreign.push(path);
      cost += 20;
    } else {
      missing[path] = value;
      cost += sizes.has(path) ? 100 : 20;
    }
  }
  const shape = shapeOf(family, written);
  if (shape === null || inexpressible({ family: name, ...nested(shape) } as SizedModel).length > 0) cost += 500;
  return { family: name, written, foreign, missing, cost };
}

/** What every file says of its model, whatever the family's usual. */
const always: ReadonlySet<string> = new Set(["layers", "d_model", "heads", "vocab", "context", "pattern"]);

/** What a reader looks for. */
const shown: ReadonlySet<string> = new Set(["d_ff", "tied", "moe.experts", "moe.top_k", "moe.d_ff"]);

function allows({ fixed, defaults }: Family, path: Property, value: Scalar): boolean {
  if (!(path in defaults)) return false;
  const only = fixed[path];
  if (only === undefined) return true;
  return only !== "derived" && only.includes(value);
}

type Flat = Readonly<Record<string, unknown>>;

function shapeOf(family: Family, pins: Traits): Flat | null {
  const completed = complete(family, pins as Shape, new Map());
  return completed === null ? null : flat(completed.shape as unknown as Flat, "");
}

function flat(values: Flat, prefix: string): Flat {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      typeof value === "object" && value !== null
        ? Object.entries(flat(value as Flat, `${prefix}${key}.`))
        : [[`${prefix}${key}`, value]],
    ),
  );
}

function nested(values: Flat): Flat {
  const result: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values)) {
    const [group = "", name] = path.split(".");
    if (name === undefined) result[group] = value;
    else result[group] = { ...(result[group] as object | undefined), [name]: value };
  }
  return result;
}
