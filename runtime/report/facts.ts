/** Everything a report shows of a run, read from its directory and from those of runs that read it. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { readRecord } from "../state/record.ts";
import { samplesOf } from "../run/samples.ts";
import { snapshotOf, type Snapshot } from "../watch/snapshot.ts";
import { plannedStage, termsOf, type Term } from "./terms.ts";

export interface Setting {
  readonly path: string;
  readonly value: string;
  readonly origin: string;
}

export interface ReportFacts {
  readonly snapshot: Snapshot;
  readonly settings: readonly Setting[];
  readonly samples: readonly string[];
  readonly terms: readonly Term[];
}

export async function reportFacts(directory: string): Promise<ReportFacts | null> {
  const snapshot = await snapshotOf(directory);
  if (snapshot === null) return null;
  const stage = stageOf(join(directory, "bundle", "plan.json"), snapshot.record.step.name);
  const settings = stage === null ? [] : settingsOf(stage);
  const planned = plannedStage.safeParse(stage);
  const terms = planned.success ? termsOf(planned.data, snapshot.progress.train) : [];
  const samples = [directory, ...readersOf(directory)].flatMap(samplesOf);
  return { snapshot, settings, samples, terms };
}

/** Runs beside this one that took it as an input. */
function readersOf(directory: string): string[] {
  const root = dirname(dirname(directory));
  return folders(root).flatMap((step) =>
    folders(join(root, step)).flatMap((id) => {
      const path = join(root, step, id);
      const read = readRecord(path);
      return read.ok && read.record.inputs.some((input) => input.directory === directory) ? [path] : [];
    }),
  );
}

function folders(path: string): string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

const plan = z.looseObject({
  stages: z.array(z.looseObject({ name: z.string(), origins: z.record(z.string(), z.unknown()).default({}) })),
});

type Stage = z.infer<typeof plan>["stages"][number];

function stageOf(path: string, step: string): Stage | null {
  if (!existsSync(path)) return null;
  const parsed = plan.safeParse(JSON.parse(readFileSync(path, "utf8")));
  return (parsed.success ? parsed.data.stages.find((stage) => stage.name === step) : null) ?? null;
}

/** The values of a stage's plan that have an origin, in the order of the plan. */
function settingsOf(stage: Stage): Setting[] {
  return Object.entries(stage.origins).flatMap(([dotted, origin]) => {
    const value = dotted.split(".").reduce(member, stage);
    return value === undefined ? [] : [{ path: dotted, value: textOf(value), origin: originText(origin) }];
  });
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

/** As people read it: `total 869760, active 869760` for a record, a list by its items. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(
      ([name, part]) => `${name} ${typeof part === "object" && part !== null ? JSON.stringify(part) : String(part)}`,
    )
    .join(", ");
}

const origin = z.looseObject({
  kind: z.string(),
  by: z.string().optional(),
  rule: z.string().optional(),
  reason: z.string().optional(),
  name: z.string().optional(),
  layer: z.string().optional(),
  span: z.looseObject({ file: z.string().optional() }).optional(),
});

function originText(value: unknown): string {
  if (typeof value === "string") return value;
  const parsed = origin.safeParse(value);
  if (!parsed.success) return "";
  const { kind, by, rule, reason, name, layer, span } = parsed.data;
  switch (kind) {
    case "written":
      return `written${span?.file === undefined ? "" : ` in ${span.file}`}${layer === undefined || layer === "file" ? "" : ` (${layer})`}`;
    case "default":
      return `default of ${by ?? "its kind"}`;
    case "param":
      return `param ${name ?? ""}`;
    case "derived":
      return `= ${rule ?? "derived"}`;
    case "chosen":
      return `chosen by the ${by ?? "planner"}: ${reason ?? ""}`;
    default:
      return kind;
  }
}
