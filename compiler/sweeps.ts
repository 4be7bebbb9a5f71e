/** What the sweeps of a file ask for: a stage, and the points at which it is run, each as what `--set` would say. */
import type { Instance } from "../dsl/eval/blocks/instance.ts";
import { isPresent } from "../dsl/eval/declarations/lookup.ts";
import type { PathValue } from "../dsl/eval/variants/variants.ts";
import type { Program } from "../dsl/eval/program.ts";
import { groupOf } from "../dsl/eval/blocks/property.ts";
import { pointsOf, variationsOf } from "../dsl/eval/variants/vary.ts";
import type { FormulaTree } from "../dsl/types/value.ts";
import { show } from "../dsl/types/value.ts";
import { numberAt, settingsOf } from "./passes/resolve/read.ts";
import { drawn } from "./draw.ts";
import { written } from "./written.ts";

export interface SweepPoint {
  /** `NAME=VALUE`, as `--set` takes it. */
  readonly sets: readonly string[];
  /** The same for people, by the paths of amendments. */
  readonly at: Readonly<Record<string, string>>;
  /** The same where they stand in `vary`. */
  readonly values: readonly PathValue[];
}

export interface Sweep {
  readonly name: string;
  readonly stage: string;
  readonly overlays: readonly string[];
  readonly points: readonly SweepPoint[];
  readonly best: Ranking | null;
  /** Runs at one time. */
  readonly parallel: number;
  /** What all runs together may take, in seconds and in dollars. */
  readonly limits: { readonly time: number | null; readonly cost: number | null };
}

export interface Ranking {
  readonly order: "min" | "max";
  readonly metric: FormulaTree;
  /** As it was written. */
  readonly text: string;
}

export function sweepsOf(program: Program): readonly Sweep[] {
  return program.blocks.filter((b) => b.kind.name === "sweep" && !b.abstract && isPresent(b)).map(sweepOf);
}

export function sweepOf(block: Instance): Sweep {
  const value = (name: string) => block.context.property(block, name, block.span).value;
  const stage = value("stage");
  const overlays = value("overlays");
  return {
    name: block.name ?? "",
    stage: stage.kind === "block" ? (stage.block.name ?? "") : "",
    overlays:
      overlays.kind === "list"
        ? overlays.items.flatMap(({ value: item }) => (item.kind === "block" ? [item.block.name ?? ""] : []))
        : [],
    points: (pointsIn(block) ?? [[]]).map(pointOf),
    best: rankingOf(value("best")),
    parallel: numberAt(block, "parallel") ?? 1,
    limits: { time: most(block, "time"), cost: most(block, "cost") },
  };
}

/** The points at which a sweep is run: all combinations of what it varies, or as many as it draws; `null` where it varies nothing. */
export function pointsIn(sweep: Instance): readonly (readonly PathValue[])[] | null {
  const group = groupOf(sweep, "vary");
  if (group === null) return null;
  const all = pointsOf(variationsOf(group));
  const runs = numberAt(sweep, "runs");
  return runs === null ? all : drawn(all, runs, (point) => pointOf(point).sets.join("\n"));
}

/** `time <= 2 h`, or `time = 2 h`. */
function most(block: Instance, name: string): number | null {
  return settingsOf(block, [name]).bounds.get(name)?.max ?? numberAt(block, name);
}

function pointOf(values: readonly PathValue[]): SweepPoint {
  return {
    sets: values.map(({ path, value }) => `${path}=${written(value.value)}`),
    at: Object.fromEntries(values.map(({ path, value }) => [path, show(value.value)])),
    values,
  };
}

function rankingOf(best: ReturnType<Instance["context"]["property"]>["value"]): Ranking | null {
  if (best.kind !== "choice") return null;
  const metric = best.arguments.get("metric")?.value;
  if (metric?.kind !== "formula") return null;
  const order = best.name === "max" ? "max" : "min";
  return { order, metric: metric.tree, text: `${order}(${show(metric)})` };
}
