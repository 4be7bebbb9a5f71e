/** `cdrc plan --html`: a plan for someone who has a minute. */
import { offloadText, recomputeText } from "../render/detail.ts";
import type { TopLevelSpec } from "vega-lite";
import { scalingOf, type ScalePoint } from "../../compiler/passes/parallelize/scaling.ts";
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { positionAt } from "../../dsl/source/source.ts";
import type { Origin } from "../../dsl/eval/origin.ts";
import type { ClusterSpec, Pipeline, StageStep } from "../../compiler/pipeline.ts";
import type { Alternative, ClusterChoice, Plan, StagePlan } from "../../compiler/plan.ts";
import { escaped } from "../../compiler/escaped.ts";
import { templateOf } from "../../compiler/templates.ts";
import { draw } from "../../runtime/report/chart.ts";
import { pageCss } from "../../runtime/report/style.ts";
import { dollars, duration, energy, gib, seconds, short, whole } from "../render/figures.ts";
import { besideParts, shardedParts, splitParts } from "../render/layout-parts.ts";
import { memoryDrawing, scalingDrawing, speedDrawing, waterfallDrawing, widths } from "./drawings.ts";

export interface Shown {
  readonly pipeline: Pipeline;
  readonly plan: Plan;
  readonly diagnostics: readonly Diagnostic[];
}

export async function planPage(file: string, { pipeline, plan, diagnostics }: Shown): Promise<string> {
  const stages = pipeline.steps.filter((step): step is StageStep => step.kind === "stage");
  const sections: unknown[] = [];
  for (const planned of plan.stages) {
    const stage = stages.find(({ name }) => name === planned.name);
    if (stage !== undefined) sections.push(await sectionOf(planned, stage, pipeline));
  }
  const cluster = plan.cluster === undefined ? null : clusterOf(plan.cluster);
  const missing = missingOf(stages, plan, diagnostics);
  return templateOf("plan/page.html.hbs")({ css: pageCss, file: escaped(file), missing, cluster, sections });
}

/** What a file with errors leaves without a plan, and the errors; `null` without any. */
function missingOf(stages: readonly StageStep[], { stages: planned }: Plan, found: readonly Diagnostic[]): unknown {
  const errors = found.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return null;
  const names = stages.map(({ name }) => name).filter((name) => planned.every((each) => each.name !== name));
  return {
    title: planned.length === 0 ? "Nothing is planned" : "Errors",
    text: names.length === 0 ? "" : escaped(`Without a plan: ${names.map((name) => `stage ${name}`).join(", ")}.`),
    errors: errors.map(({ span, message }) => {
      const { line } = positionAt(span.source, span.start);
      return escaped(`${span.source.path}:${line}: ${message}`);
    }),
  };
}

/** How many nodes, the choice among the others in order. */
function clusterOf({ nodes, reason, tried }: ClusterChoice): unknown {
  return {
    nodes: `${whole(nodes)} node${nodes === 1 ? "" : "s"}`,
    reason: escaped(reason),
    sizes: tableOf(
      ["nodes", "takes", "device-hours", "cost", "why not"],
      tried.map((size) => [
        whole(size.nodes),
        size.hours === null ? "" : duration(size.hours),
        size.device_hours === null ? "" : short(size.device_hours),
        size.cost === null ? "" : dollars(size.cost),
        size.why_not,
      ]),
    ),
  };
}

async function sectionOf(plan: StagePlan, stage: StageStep, pipeline: Pipeline): Promise<unknown> {
  const { cluster } = pipeline.launch;
  const { memory, time, layout, total } = plan;
  const points = scalingOf(stage, plan, pipeline);
  const drawings = [
    {
      title: "Memory of each rank",
      note: `At its peak; the dashed line is the memory that a rank can use of ${cluster.device.name}, ${gib(memory.usable)}.${within(memory.error, plan.origins["memory.error"])}`,
      ...(await drawn("memory of each rank, by what holds it", (width) => memoryDrawing(memory, width))),
    },
    {
      title: "Where a step's time goes",
      note: `${seconds(time.step)} a step.${within(time.error, plan.origins["time.error"])}`,
      ...(await drawn("seconds of a step, part after part", (width) =>
        waterfallDrawing(time.parts, time.step, "seconds", width),
      )),
    },
  ];
  if (1 - total.parts.steps / total.hours >= 0.005)
    drawings.push({
      title: "Where the run's time goes",
      note: `${duration(total.hours)} in all${total.failures < 0.005 ? "" : `, with ${total.failures.toPrecision(2)} failures to be expected`}.`,
      ...(await drawn("hours of the run, part after part", (width) =>
        waterfallDrawing(total.parts, total.hours, "hours", width),
      )),
    });
  if (points.filter((point) => point.plan !== null).length > 1)
    drawings.push(
      {
        title: "Speed against devices",
        note: "The best plan for each number of devices, with the same global batch, beside the same number of the fastest devices; the circle is this cluster.",
        ...(await drawn("tokens per second by number of devices", (width) =>
          speedDrawing(points, layout.world, width),
        )),
      },
      {
        title: "Scaling",
        note: `Speed per device as devices are added.${rises(points) ? " Where it rises, more devices leave each of them memory for a faster layout, which the table below names." : ""}`,
        ...(await drawn("speed of a device by number of devices", (width) => scalingDrawing(points, width))),
      },
    );
  return {
    name: escaped(plan.name),
    summary: escaped(summaryOf(plan, cluster)),
    uncounted: total.uncounted.map((each) => escaped(`Not counted: ${each}.`)),
    figures: figuresOf(plan).map(([label, value]) => ({ label, value: escaped(value) })),
    drawings: drawings.map(({ note, ...drawing }) => ({ ...drawing, note: escaped(note) })),
    sizes: tableOf(
      ["devices", "tokens/s", "takes", "device-hours", "cost", "layout"],
      points.map((point) => sizeRow(point, plan)),
    ),
    alternatives: tableOf(
      ["step", "memory", "why not", "layout"],
      plan.alternatives.map((other) => alternativeRow(other, plan)),
    ),
  };
}

/** Twice: the style sheet shows the one that the reader's window has room for. */
async function drawn(title: string, of: (width: number) => TopLevelSpec): Promise<{ broad: string; narrow: string }> {
  return { broad: await draw(title, of(widths.broad)), narrow: await draw(title, of(widths.narrow)) };
}

/** By more than one layout is preferred for being plainer. */
const told = 1.03;

/** Is a device faster where there are more of them? */
function rises(points: readonly ScalePoint[]): boolean {
  const each = points.flatMap(({ devices, plan }) => (plan === null ? [] : [plan.tokens_per_second / devices]));
  return each.some((speed, at) => at > 0 && speed > told * (each[at - 1] ?? Infinity));
}

const within = (error: number | null, origin: Origin | undefined): string =>
  error === null
    ? " Nothing similar has been measured yet."
    : ` ${percent(error)}: ${origin?.kind === "derived" ? origin.rule : "half of the 80 % interval"}.`;

const percent = (share: number): string => `± ${(100 * share).toFixed(0)} %`;

function summaryOf({ model, layout, total, memory }: StagePlan, { device }: ClusterSpec): string {
  const room = memory.usable - memory.peak;
  return [
    `${model.family} with ${short(model.parameters.total)} parameters on ${layout.world} ${device.name}: ${short(total.tokens)} tokens in ${duration(total.hours)}`,
    total.cost === null ? "" : `, for ${dollars(total.cost)}`,
    room >= 0
      ? `. The fullest rank has ${gib(room)} to spare.`
      : `. It does not fit: the fullest rank lacks ${gib(-room)}.`,
    total.cost === null ? " The cluster has no price, so no cost is known." : "",
  ].join("");
}

function figuresOf({ layout, engine, batch, memory, time, total }: StagePlan): (readonly [string, string])[] {
  const replicas = layout.data_parallel > 1 ? [`data ${layout.data_parallel}`] : [];
  return [
    ["a step", seconds(time.step)],
    ["tokens per second", short(time.tokens_per_second)],
    ["MFU (Megatron-LM's count)", `${(100 * time.mfu).toFixed(0)} %`],
    ["memory of a rank", `${gib(memory.peak)} of ${gib(memory.usable)}`],
    ["device-hours", short(total.gpu_hours)],
    ...(total.energy_kwh === null ? [] : [["energy, at most", energy(total.energy_kwh)] as const]),
    ["engine", [engine, ...shardedParts(engine, layout)].join(", ")],
    ["ranks", [...replicas, ...splitParts(layout)].join(" · ") || "one"],
    [
      "batch: samples = micro × accumulation × replicas",
      `${whole(batch.global_batch)} = ${batch.micro_batch} × ${batch.accumulation} × ${layout.data_parallel}`,
    ],
    ...(layout.recompute === "none" ? [] : [["recomputed", recomputeText(layout)] as const]),
    ...(layout.offload === "none" ? [] : [["in host memory", offloadText(layout)] as const]),
    ...(layout.held_parameters === undefined
      ? []
      : [["parameters with a padded vocabulary", whole(layout.held_parameters)] as const]),
  ];
}

/** A table without the columns that are empty in every row; `figures` come before the text that ends each. */
function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): unknown {
  const kept = heads.map((_, column) => rows.some((row) => row[column] !== ""));
  const only = (row: readonly string[]): string[] => row.filter((_, column) => kept[column] === true);
  const shown = only(heads);
  return { heads: shown, figures: shown.length - 1, rows: rows.map((row) => only(row).map(escaped)) };
}

function sizeRow({ devices, plan }: ScalePoint, chosen: StagePlan): string[] {
  if (plan === null) return [whole(devices), "", "", "", "", "no layout fits the devices and divides the batch"];
  const isHere = devices === chosen.layout.world;
  const { engine, layout, batch, tokens_per_second, hours, device_hours, cost, hardly_ends } = plan;
  const other = engine === chosen.engine ? {} : { engine };
  return [
    `${whole(devices)}${isHere ? " (this plan)" : ""}`,
    short(tokens_per_second),
    duration(hours),
    short(device_hours),
    cost === null ? "" : dollars(cost),
    [...besideParts(chosen, { ...other, layout, batch }), ...(hardly_ends ? [lost] : [])].join(", "),
  ];
}

const lost = "half of it lost to failures, or more";

function alternativeRow(other: Alternative, plan: StagePlan): string[] {
  const { memory, time, why_not } = other;
  return [seconds(time.step), gib(memory.peak), why_not, besideParts(plan, other).join(", ")];
}
