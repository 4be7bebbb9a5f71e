/** `report.html` of a bundle: the plan and the origin of every value, for people. */
import { type Origin, setBy } from "../../dsl/eval/origin.ts";
import { positionAt } from "../../dsl/source/source.ts";
import { escaped } from "../escaped.ts";
import type { Pipeline } from "../pipeline.ts";
import type { Plan, StagePlan } from "../plan.ts";
import { templateOf } from "../templates.ts";

/** How a source is named where its place must not show. */
export type Naming = (path: string) => string;

export function planReport(pipeline: Pipeline, plan: Plan, planText: string, naming: Naming): string {
  return templateOf("plan/report.html.hbs")({
    title: escaped(`Plan: ${plan.stages.map((stage) => stage.name).join(", ")}`),
    steps: pipeline.steps.map((step) => ({
      name: escaped(step.name),
      kind: step.kind,
      needs: escaped(step.needs.join(", ")),
    })),
    plan: escaped(planText),
    origins: plan.stages.map((stage) => ({ stage: escaped(stage.name), rows: rowsOf(stage, naming) })),
  });
}

function rowsOf(stage: StagePlan, naming: Naming): readonly { path: string; value: string; origin: string }[] {
  return Object.entries(stage.origins).map(([path, origin]) => ({
    path: escaped(path),
    value: escaped(textOf(valueAt(stage, path))),
    origin: escaped(describeOrigin(origin, naming)),
  }));
}

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);

function valueAt(stage: StagePlan, path: string): unknown {
  return (
    path
      .split(".")
      .reduce<unknown>(
        (at, key) => (typeof at === "object" && at !== null ? (at as Record<string, unknown>)[key] : undefined),
        stage,
      ) ?? ""
  );
}

/** One line for people: `quickstart.cdr:12`, `default of llama (…)`, `global_batch / micro_batch`. */
export function describeOrigin(origin: Origin, naming: Naming = (path) => path): string {
  switch (origin.kind) {
    case "written":
      return `written at ${placeOf(origin.span, naming)}${origin.layer === "file" ? "" : ` (${origin.layer})`}`;
    case "param":
      return `param ${origin.name}, ${setBy(origin)}`;
    case "default":
      return `default of ${origin.by}${origin.source === undefined ? "" : ` (${origin.source})`}`;
    case "derived":
      return `${origin.rule}${origin.inputs.length === 0 ? "" : ` from ${origin.inputs.join(", ")}`}${origin.source === undefined ? "" : ` (${origin.source})`}`;
    case "chosen":
      return `chosen by the ${origin.by}: ${origin.reason}`;
  }
}

const placeOf = (span: Extract<Origin, { kind: "written" }>["span"], naming: Naming): string =>
  `${naming(span.source.path)}:${positionAt(span.source, span.start).line + 1}`;
