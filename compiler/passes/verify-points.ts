/** `pretrain.at(10_000 steps)`: whether the stage has a checkpoint of that step when it has ended. */
import { counted } from "../../dsl/diagnostics/counted.ts";
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import { isPresent } from "../../dsl/eval/declarations/lookup.ts";
import type { Program } from "../../dsl/eval/program.ts";
import type { Span } from "../../dsl/source/source.ts";
import { show, type Value, type Valued } from "../../dsl/types/value.ts";
import { checkpointAt } from "../diagnostics/course.ts";
import { periodSteps } from "../planner/schedule.ts";
import type { Course, Courses } from "./courses.ts";
import { saidIn } from "./operations/references.ts";
import { group, valued } from "./resolve/read.ts";
import { upkeepOf } from "./resolve/upkeep.ts";

export function verifyPoints(program: Program, courses: Courses): readonly Diagnostic[] {
  return program.blocks
    .filter((block) => !block.abstract && isPresent(block))
    .flatMap((block) => saidIn(block).flatMap(pointsIn))
    .flatMap(({ span, handle, step }) => {
      const course = courses.get(handle.block);
      const found = course === undefined ? null : problem(step, handle.block, course);
      if (found === null) return [];
      const stage = handle.block.name ?? handle.block.kind.name;
      return [checkpointAt(span, { handle: show(handle), stage, why: found.why }, found)];
    });
}

interface Point {
  readonly span: Span;
  readonly handle: Extract<Value, { kind: "handle" }>;
  readonly step: number;
}

function pointsIn({ value, span }: Pick<Valued, "value" | "span">): Point[] {
  switch (value.kind) {
    case "handle":
      return value.at?.value.kind === "number" ? [{ span, handle: value, step: value.at.value.value }] : [];
    case "list":
      return value.items.flatMap(pointsIn);
    case "choice":
      return [...value.arguments.values()].flatMap(pointsIn);
    default:
      return [];
  }
}

/** Whether something that is wrong may have said when the stage saves, or what it keeps. */
function isUnread(stage: Instance): boolean {
  const checkpoint = group(stage, "checkpoint");
  if (checkpoint === null) return stage.strangeGroups.size > 0;
  const isStrange = checkpoint.strangers.size > 0;
  return isStrange || ["every", "keep"].some((name) => valued(checkpoint, name).value.kind === "unknown");
}

interface Problem {
  readonly why: string;
  readonly valid: readonly string[];
  readonly fix?: string;
}

/** Every step that a period divides is saved, and none of them is lost. */
const orSave = (step: number): string =>
  `Name a step at which the stage saves, or save at this one and keep it: \`checkpoint { every = ${counted(step, "step")}, keep = all }\`.`;

function problem(step: number, stage: Instance, { steps, tokensPerStep }: Course): Problem | null {
  // The end is always saved, and the newest one always stays.
  if (step === steps) return null;
  const valid = [counted(steps, "step")];
  if (step > steps) return { why: `ends after ${counted(steps, "step")}`, valid: [`<= ${counted(steps, "step")}`] };
  if (isUnread(stage)) return null;
  const { checkpoint } = upkeepOf(stage, () => undefined);
  const every = checkpoint?.every ?? null;
  if (checkpoint === null || every === null)
    return { why: "saves only at its end, since it has no `checkpoint { every = … }`", valid, fix: orSave(step) };
  if (every.unit === "seconds") return { why: "saves by the clock, at steps that are not known in advance", valid };
  if (every.unit === "tokens" && tokensPerStep === null) return null;
  const period = periodSteps(every, tokensPerStep ?? NaN, NaN);
  const { keepLast } = checkpoint;
  // Those after it, and that of the end where no period ends there.
  const newerThan = (point: number): number => Math.ceil(steps / period) - point / period;
  const stays = (point: number): boolean => point === steps || keepLast === null || newerThan(point) < keepLast;
  if (step % period !== 0) {
    const before = step - (step % period);
    const oldest = Math.max(period, Math.ceil(steps / period - (keepLast ?? 0) + 1) * period);
    const around = [before, before + period].filter((each) => each > 0 && each <= steps && stays(each));
    const left = around.length > 0 ? around : [...new Set([Math.min(oldest, steps), steps])];
    return {
      why: `saves every ${counted(period, "step")}`,
      valid: left.map((each) => counted(each, "step")),
      fix: orSave(step),
    };
  }
  if (stays(step)) return null;
  const isBest = checkpoint.keepBest !== null;
  const newer = newerThan(step);
  const more = isBest ? `keep = [best(val.loss), last(${newer + 1})]` : `keep = last(${newer + 1})`;
  const newest = keepLast === 1 ? "the newest one" : `the newest ${keepLast}`;
  return {
    why: `keeps only ${isBest ? "the best and " : ""}${newest} of its checkpoints, and ${newer} ${newer === 1 ? "comes" : "come"} after this one`,
    valid: [more, "keep = all"],
    fix: `Name a step whose checkpoint is kept, or keep more: \`${more}\`.`,
  };
}
