/** What a stage says of a stretch of its run, by the types of its properties: periods, ramps, points before which nothing is done. */
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import { constructorOfValue } from "../../dsl/eval/expressions/constructors.ts";
import type { Property, Type } from "../../dsl/kind.ts";
import { alternatives } from "../../dsl/types/type.ts";
import type { NumberValue, Valued } from "../../dsl/types/value.ts";
import { period, stretch, wholeSteps } from "../kinds/stage/units.ts";
import { periodSteps } from "../planner/schedule.ts";
import type { Course } from "./courses.ts";
import { maybePeriod } from "./resolve/period.ts";
import { group, unitOf, valued } from "./resolve/read.ts";

export interface Stretch {
  readonly of: string;
  /** Of a block that other stages may list too. */
  readonly isShared: boolean;
  readonly name: string;
  readonly value: NumberValue;
  readonly span: Valued["span"];
}

const alongRun: ReadonlySet<Type> = new Set([period, wholeSteps, stretch]);

/** All but those of the schedule, which must fit together. */
export function stretchesIn(stage: Instance): readonly Stretch[] {
  const groups = Object.keys(stage.kind.blocks ?? {}).flatMap((name) => {
    const settings = group(stage, name);
    return settings === null ? [] : ofBlock(settings, name, false);
  });
  const { value } = valued(stage, "evals");
  const evals = (value.kind === "list" ? value.items : []).flatMap(({ value: item }) =>
    item.kind === "block" ? ofBlock(item.block, `eval ${item.block.name ?? ""}`, true) : [],
  );
  return [...ofBlock(stage, "", false), ...groups, ...evals];
}

const ofBlock = (block: Instance, of: string, isShared: boolean): Stretch[] =>
  Object.entries(block.kind.properties).flatMap(([name, property]) =>
    name === "schedule" ? [] : ofValue(property, { of, name, isShared }, valued(block, name)),
  );

function ofValue(
  { type }: Property,
  place: Pick<Stretch, "of" | "name" | "isShared">,
  { value, span, origin }: Valued,
): readonly Stretch[] {
  if (origin.kind === "default") return [];
  const types = alternatives(type);
  if (value.kind === "number") return types.some((each) => alongRun.has(each)) ? [{ ...place, value, span }] : [];
  if (value.kind !== "choice") return [];
  const { parameters = {} } = constructorOfValue(value, types) ?? {};
  return [...value.arguments].flatMap(([name, said]) => {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    return parameter === undefined ? [] : ofValue(parameter, { ...place, of: place.name, name }, said);
  });
}

/** Whether it goes beyond the end of the stage, as far as that can be counted. */
export function isBeyond({ value }: Stretch, { steps, tokensPerStep }: Course): boolean {
  if (unitOf(value) === null) return value.value > 1;
  const length = maybePeriod(value);
  return length !== null && length.unit !== "seconds" && periodSteps(length, tokensPerStep ?? Infinity, NaN) > steps;
}
