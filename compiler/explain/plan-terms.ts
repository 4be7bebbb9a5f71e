/** Where a value of a stage's plan came from, and what it was computed from. */
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import type { Origin } from "../../dsl/eval/origin.ts";
import { traceOf } from "../../dsl/eval/trace.ts";
import { type Explanation, ofTrace } from "./explanation.ts";
import type { StagePlan } from "../plan.ts";
import { notTaken } from "./not-taken.ts";
import { planText } from "./plan-text.ts";

/** A stage in the plan, with the block that says it. */
export interface Planned {
  readonly stage: StagePlan;
  readonly block: Instance | undefined;
}

/** What the plan holds at a path and below it: what has an origin of its own, else that of what it is a part of. */
export function inPlan(of: Planned, path: string): Explanation[] {
  const { stage } = of;
  if (path === "alternatives") return notTaken(stage);
  const below = keysOf(stage).filter((key) => path === "" || key === path || key.startsWith(`${path}.`));
  const part = below.length === 0 && path !== "" && at(stage, path) !== undefined ? [path] : [];
  return [...below, ...part].flatMap((key) => planned(of, key, []) ?? []);
}

/** Paths of what a plan has; an origin is there for what it may lack too. */
export const keysOf = (stage: StagePlan): readonly string[] =>
  Object.keys(stage.origins).filter((key) => at(stage, key) !== undefined);

/** The origin of a value of the plan, or of what it is a part of: `model.parameters.total` comes with `model.parameters`. */
function originIn({ origins }: StagePlan, key: string): Origin | undefined {
  for (let at = key; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf(".")))) {
    const origin = origins[at];
    if (origin !== undefined) return origin;
  }
  return undefined;
}

export function planned(of: Planned, key: string, above: readonly string[]): Explanation | null {
  const { stage } = of;
  const origin = originIn(stage, key);
  if (origin === undefined || at(stage, key) === undefined) return null;
  const from = above.includes(key) ? [] : inputsOf(of, origin, [...above, key]);
  return {
    path: key,
    value: planText(key, at(stage, key)),
    known: true,
    origin,
    text: null,
    span: origin.kind === "written" ? origin.span : null,
    from,
  };
}

/** What a value was computed from: values of the plan, else what the block of the stage says there. */
export function inputsOf(of: Planned, origin: Origin, above: readonly string[]): Explanation[] {
  if (origin.kind !== "derived") return [];
  return origin.inputs.flatMap((input) => {
    const found = keyOf(of.stage, input);
    if (found !== null) return found === above.at(-1) ? [] : (planned(of, found, above) ?? []);
    const parts = partsOf(of.stage, input);
    if (parts.length > 0) return parts.flatMap((part) => planned(of, part, above) ?? []);
    const said = of.block === undefined ? null : traceOf(of.block, input.split("."));
    return said === null ? [] : [ofTrace(said)];
  });
}

/** An input as the plan spells it: `micro_batch` is `batch.micro_batch`. */
function keyOf(stage: StagePlan, input: string): string | null {
  if (stage.origins[input] !== undefined) return input;
  // `model`: all that stands below is too much to list.
  if (at(stage, input) !== undefined) return null;
  const ending = Object.keys(stage.origins).filter((key) => key.endsWith(`.${input}`));
  return ending.length === 1 ? (ending[0] ?? null) : null;
}

/** Of a sum, what it is a sum of. */
const partsOf = (stage: StagePlan, input: string): readonly string[] =>
  input === "parts" || input.endsWith(".parts") ? keysOf(stage).filter((key) => key.startsWith(`${input}.`)) : [];

export const at = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (object, key) =>
        typeof object === "object" && object !== null ? (object as Record<string, unknown>)[key] : undefined,
      value,
    );
