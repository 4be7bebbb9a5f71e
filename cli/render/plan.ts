/** The plan as `cdrc plan` shows it to people. */
import { offloadText, recomputeText } from "./detail.ts";
import { families } from "../../compiler/models/index.ts";
import { hasDense, routedOf } from "../../compiler/models/routed.ts";
import type { ClusterChoice, Plan, SizedModel, StagePlan } from "../../compiler/plan.ts";
import { hardlyEnds } from "../../compiler/planner/run/failures.ts";
import { computing, dollars, duration, energy, gib, seconds, short, whole } from "./figures.ts";
import { besideParts, paddedParts, shardedParts, splitParts } from "./layout-parts.ts";
import { memoryBar, memoryLegend, type BarPaint } from "./memory-bar.ts";
import { wrap } from "./wrap.ts";

/** What the renderer needs of a palette; one that paints nothing gives plain text. */
export interface PlanPalette extends BarPaint {
  readonly bold: (text: string) => string;
}

const label = 11;
const indent = 2;

export function renderPlan(plan: Plan, palette: PlanPalette, width: number): string {
  const columns = Math.min(118, Math.max(60, width));
  if (plan.stages.length === 0) return `${palette.dim("no stage to plan")}\n`;
  const stages = plan.stages.map((stage) => `${renderStage(stage, palette, columns)}\n`);
  return [
    ...(plan.cluster === undefined ? [] : [`${renderCluster(plan.cluster, palette, columns)}\n`]),
    ...stages,
  ].join("\n");
}

/** Models of a file that plans no stage. */
export function renderModels(
  models: readonly { readonly name: string; readonly model: SizedModel }[],
  palette: PlanPalette,
  width: number,
): string {
  return models
    .map(({ name, model }) => [palette.bold(name), ...row("model", modelParts(model, palette), palette, width), ""])
    .map((lines) => lines.join("\n"))
    .join("\n");
}

/** How many nodes, and why not more or fewer. */
function renderCluster({ nodes, reason, tried }: ClusterChoice, paint: PlanPalette, width: number): string {
  const lines = tried.map((size) => {
    const figures = [
      `${whole(size.nodes)} node${size.nodes === 1 ? "" : "s"}`.padEnd(12),
      (size.hours === null ? "" : duration(size.hours)).padStart(10),
      (size.device_hours === null ? "" : `${short(size.device_hours)} device-hours`).padStart(20),
      ...(size.cost === null ? [] : [dollars(size.cost).padStart(9)]),
    ].join(" ");
    return [figures, paint.dim(size.why_not)];
  });
  return [
    paint.bold("cluster"),
    ...row("nodes", [paint.bold(whole(nodes)), reason], paint, width),
    ...lines.flatMap((line, at) => row(at === 0 ? "not taken" : "", line, paint, width)),
  ].join("\n");
}

function row(name: string, parts: readonly string[], paint: PlanPalette, width: number): string[] {
  const room = width - indent - label;
  return wrap(parts, paint.dim(" · "), room).map(
    (line, i) => `${" ".repeat(indent)}${paint.dim((i === 0 ? name : "").padEnd(label))}${line}`,
  );
}

function renderStage(stage: StagePlan, paint: PlanPalette, width: number): string {
  const rowOf = (name: string, said: readonly string[]): string[] => row(name, said, paint, width);
  const coloured = paint.red("x") !== "x";
  const { memory, time, total, batch, layout } = stage;
  const barWidth = Math.min(48, width - indent - label - 36);
  const half = memory.error === null ? "" : ` ${within(memory.error)}`;
  const usage = `${gib(memory.peak)}${half} of ${gib(memory.usable)} a rank`;
  return [
    `${paint.bold(stage.name)}`,
    ...rowOf("model", modelParts(stage.model, paint)),
    ...rowOf("trains", trainedParts(stage)),
    ...rowOf("layout", layoutParts(stage)),
    ...rowOf("batch", [
      `${paint.bold(`${whole(batch.global_batch)} samples`)} = ${batch.micro_batch} micro x ${batch.accumulation} accumulation x ${layout.data_parallel} rank${layout.data_parallel === 1 ? "" : "s"}`,
      `${whole(batch.tokens_per_step)} tokens a step`,
    ]),
    ...rowOf("memory", [
      `${memoryBar(memory, paint, barWidth, coloured)} ${memory.peak > memory.usable ? paint.red(usage) : usage}`,
    ]),
    ...rowOf("", [
      ...memoryLegend(memory, paint, coloured),
      ...(layout.offload === "none" ? [] : [`host ${gib(memory.host_peak)} a node`]),
    ]),
    ...rowOf("time", [
      `${paint.bold(seconds(time.step))} a step`,
      `${short(time.tokens_per_second)} tokens/s`,
      ...(layout.world > 1 ? [`${short(time.tokens_per_second_per_gpu)} a rank`] : []),
      `MFU ${(100 * time.mfu).toFixed(0)} %, ${computing(stage.model.flops_per_token.model * time.tokens_per_second_per_gpu)} a rank`,
      ...parts(time.parts, time.step),
      paint.dim(within(time.error)),
    ]),
    ...rowOf("total", [
      paint.bold(duration(total.hours)),
      `${whole(total.steps)} step${total.steps === 1 ? "" : "s"}`,
      `${short(total.tokens)} tokens`,
      `${short(total.gpu_hours)} device-hours`,
      total.cost === null ? paint.dim("cost unknown: the cluster has no price") : dollars(total.cost),
      ...(total.spot_nodes === undefined ? [] : [`${total.spot_nodes} of ${layout.nodes} nodes at the spot price`]),
      `${gib(memory.checkpoint)} a checkpoint`,
      ...besideSteps(total),
      ...(total.energy_kwh === null ? [] : [`at most ${energy(total.energy_kwh)}`]),
      ...(hardlyEnds(total)
        ? [paint.red("half of it lost to failures, or more: save more often, `checkpoint { every = … }`")]
        : total.parts.failures > total.hours / 3
          ? [paint.yellow("lost to failures: save more often, `checkpoint { every = … }`")]
          : []),
      ...total.uncounted.map((each) => paint.red(`not counted: ${each}`)),
    ]),
    ...alternatives(stage, paint).flatMap((row, i) => rowOf(i === 0 ? "not taken" : "", row)),
  ].join("\n");
}

/** Half of the interval; of a machine that nobody measured there is none. */
const within = (error: number | null): string =>
  error === null
    ? "error unknown: `cdrc calibrate` measures this machine"
    : `± ${(100 * error).toFixed(error < 0.0095 ? 1 : 0)} %`;

function modelParts(model: SizedModel, paint: PlanPalette): string[] {
  const { heads, kv_heads } = model;
  const routed = routedOf(families[model.family], model);
  return [
    `${paint.bold(`${model.family} ${short(model.parameters.total)}`)} (${whole(model.parameters.total)} parameters)`,
    `${model.layers} layers of ${whole(model.d_model)}`,
    ...(heads === 0 ? [] : [`${heads} heads of ${model.head_dim}${kv_heads === heads ? "" : ` on ${kv_heads}`}`]),
    ...(hasDense(families[model.family], model) ? [`MLP ${whole(model.d_ff)}`] : []),
    ...(routed === undefined
      ? []
      : [`${routed.experts} experts of ${whole(routed.d_ff)}, ${routed.top_k} to a token`]),
    ...(model.parameters.active === model.parameters.total ? [] : [`${short(model.parameters.active)} active`]),
    `vocabulary ${whole(model.vocab)}${model.tied ? " (tied)" : ""}`,
    `context ${whole(model.context)}`,
  ];
}

function layoutParts({ engine, layout }: StagePlan): string[] {
  const { nodes, gpus_per_node, world } = layout;
  return [
    nodes === 1
      ? world === 1
        ? "1 rank"
        : `${world} ranks on 1 node`
      : `${nodes} nodes x ${gpus_per_node} = ${world} ranks`,
    engine,
    ...splitParts(layout),
    ...paddedParts(layout),
    ...shardedParts(engine, layout),
    layout.recompute === "none" ? "nothing recomputed" : `recompute ${recomputeText(layout)}`,
    ...(layout.offload === "none" ? [] : [`offload ${offloadText(layout)}`]),
  ];
}

function trainedParts({ trained, model }: StagePlan): string[] {
  if (trained === undefined) return [];
  const share = (100 * trained) / model.parameters.total;
  return [`${short(trained)} parameters`, `${share.toPrecision(2)} % of the model`];
}

/** What takes at least half a percent of a run beside its steps. */
function besideSteps({ parts: spent, hours }: StagePlan["total"]): string[] {
  return Object.entries(spent)
    .filter(([name, value]) => name !== "steps" && value >= 0.005 * hours)
    .map(([name, value]) => `${name} ${((100 * value) / hours).toFixed(0)} %`);
}

/** Parts of a step that take at least one percent of it, besides computing. */
function parts(times: StagePlan["time"]["parts"], step: number): string[] {
  return Object.entries(times)
    .filter(([name, value]) => name !== "compute" && value >= 0.01 * step)
    .map(
      ([name, value]) =>
        `${name.replace("_comm", " communication").replaceAll("_", " ")} ${((100 * value) / step).toFixed(0)} %`,
    );
}

/** In columns: as wide as the longest layout. */
function alternatives(stage: StagePlan, paint: PlanPalette): string[][] {
  const rows = stage.alternatives.map((other) => ({ other, said: besideParts(stage, other).join(", ") }));
  const wide = Math.max(34, ...rows.map(({ said }) => said.length));
  return rows.map(({ other, said }) => [
    `${said.padEnd(wide)} ${gib(other.memory.peak).padStart(9)}  ${seconds(other.time.step).padStart(8)}`,
    paint.dim(other.why_not),
  ]);
}
