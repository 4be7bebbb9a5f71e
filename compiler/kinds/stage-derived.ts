/** What a stage block gives when it is asked for its plan; the plan itself is made by whoever compiles. */
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import type { Context } from "../../dsl/eval/context.ts";
import { defaultOf } from "../../dsl/eval/blocks/default.ts";
import type { Origin } from "../../dsl/eval/origin.ts";
import type { Dimension } from "../../dsl/types/units.ts";
import { estimate, number, unknown, type Value } from "../../dsl/types/value.ts";
import { costUnknown, energyUnknown } from "../diagnostics/budgets.ts";
import type { StagePlan } from "../plan.ts";
import type { Pipeline, PipelineStep } from "../pipeline.ts";
import { blockAt } from "../passes/resolve/read.ts";
import { sequenceOf } from "../passes/resolve/settled.ts";
import { recordOf } from "./model-derived.ts";
import { writtenLength } from "./stage/written-length.ts";

interface Made {
  readonly stages: ReadonlyMap<string, StagePlan>;
  readonly steps: ReadonlyMap<string, PipelineStep>;
  /** The name of the cluster that they are planned on. */
  readonly cluster: string;
}

const plans = new WeakMap<Context, Made>();

/** Gives assertions about plans something to look at. */
export function providePlans(context: Context, stages: readonly StagePlan[], { steps, launch }: Pipeline): void {
  plans.set(context, {
    stages: new Map(stages.map((stage) => [stage.name, stage])),
    steps: new Map(steps.map((step) => [step.name, step])),
    cluster: launch.cluster.name,
  });
}

export function stagePlanValue(block: Instance, what: "batch" | "total.steps" | "total.tokens" | "plan"): Value {
  const made = plans.get(block.context);
  const plan = made?.stages.get(block.name ?? "");
  if (what === "plan")
    return made === undefined || plan === undefined ? planned : planRecord(block, plan, made.cluster);
  if (what === "batch")
    return plan === undefined ? knownWith(block, "batch") : number(plan.batch.global_batch, { sample: 1 });
  if (plan !== undefined)
    return what === "total.steps" ? number(plan.total.steps, { step: 1 }) : number(plan.total.tokens, { token: 1 });
  const { steps, tokensPerStep, open } = writtenLength(block);
  if (steps !== null && what === "total.steps") return number(steps, { step: 1 });
  if (steps !== null && tokensPerStep !== null) return number(steps * tokensPerStep, { token: 1 });
  return open === null ? unknown : knownWith(block, open);
}

/** What training sequences are as long as, where the stage itself does not say it. */
export function contextValue(block: Instance): Value {
  const [data, model] = [blockAt(block, "data"), blockAt(block, "model")];
  return data === null || model === null ? unknown : number(sequenceOf(block, model, data).value, { token: 1 });
}

/** What runs a stage, or how it computes, where the stage leaves that open: the word that it could have said. */
export function chosenValue(block: Instance, name: "engine" | "precision"): Value {
  const made = plans.get(block.context);
  const step = made?.steps.get(block.name ?? "");
  const word =
    name === "engine"
      ? made?.stages.get(block.name ?? "")?.engine
      : step?.kind === "stage"
        ? step.precision.value
        : undefined;
  const property = block.kind.properties[name];
  return word === undefined || property === undefined
    ? knownWith(block, name)
    : defaultOf({ ...property, default: word }, block.kind.name, block.span, block.context).value;
}

/** How long samples are packed, where the data leave that to those who read them. */
export function sequenceValue(block: Instance): Value {
  const step = plans.get(block.context)?.steps.get(block.name ?? "");
  return step?.kind === "data" ? number(step.config.sequence, { token: 1 }) : knownWith(block, "sequence");
}

const planned: Value = { kind: "unknown", later: true, since: "`plan.` has values only once the plan is made" };

function knownWith(block: Instance, open: "batch" | "tokens" | "engine" | "precision" | "sequence"): Value {
  const own = `${block.kind.name} \`${block.name ?? block.kind.name}\``;
  const since = {
    batch: `the \`batch\` of ${own} is left to the plan`,
    engine: `the \`engine\` of ${own} is left to the plan`,
    precision: `the \`precision\` of ${own} follows from its devices`,
    sequence: `the \`sequence\` of ${own} follows from the stages that read it`,
    tokens: `the data of ${own} does not say how many \`tokens\` an epoch has`,
  };
  return { kind: "unknown", later: true, since: since[open] };
}

const derived = (rule: string, inputs: readonly string[]): Origin => ({ kind: "derived", rule, inputs });

/** Where in the plan a figure of a stage stands, or how it follows from what stands there. */
const origins: Readonly<Record<string, string | Origin>> = {
  steps: "total.steps",
  tokens: "total.tokens",
  "plan.memory.peak": "memory.peak",
  "plan.memory.host_peak": "memory.host_peak",
  "plan.memory.checkpoint": "memory.checkpoint",
  "plan.step_time": "time.step",
  "plan.steps_per_second": derived("1 / step", ["time.step"]),
  "plan.duration": "total.hours",
  "plan.tokens_per_second": "time.tokens_per_second",
  "plan.tokens_per_second_per_gpu": derived("tokens_per_second / world", ["time.tokens_per_second", "layout.world"]),
  "plan.mfu": "time.mfu",
  "plan.cost": "total.cost",
  "plan.energy": "total.energy_kwh",
};

export const stagePlanOrigin = (path: string): string | Origin | null =>
  Object.hasOwn(origins, path) ? (origins[path] ?? null) : null;

function planRecord(block: Instance, plan: StagePlan, cluster: string): Value {
  const { memory, time, total } = plan;
  const bytes = (value: number) => estimate(value, memory.error, { byte: 1 });
  const timed = (value: number, dimension: Dimension) => estimate(value, time.error, dimension);
  return recordOf(
    block,
    [
      [
        "memory",
        recordOf(
          block,
          [
            ["peak", bytes(memory.peak)],
            ["host_peak", bytes(memory.host_peak)],
            ["checkpoint", number(memory.checkpoint, { byte: 1 })],
          ],
          "planner/memory",
        ),
      ],
      ["step_time", timed(time.step, { second: 1 })],
      ["steps_per_second", timed(1 / time.step, { step: 1, second: -1 })],
      ["duration", timed(total.hours * 3600, { second: 1 })],
      ["tokens_per_second", timed(time.tokens_per_second, { token: 1, second: -1 })],
      ["tokens_per_second_per_gpu", timed(time.tokens_per_second_per_gpu, { token: 1, second: -1, gpu: -1 })],
      ["mfu", timed(time.mfu, {})],
      ["cost", total.cost === null ? lacking(costUnknown, cluster) : timed(total.cost, { usd: 1 })],
      [
        "energy",
        total.energy_kwh === null
          ? lacking(energyUnknown, cluster)
          : timed(total.energy_kwh * 3.6e6, { watt: 1, second: 1 }),
      ],
    ],
    "plan",
  );
}

/** What a run costs, or takes, where nobody said what a device does. */
const lacking = (tell: typeof costUnknown, cluster: string): Value => ({
  kind: "unknown",
  later: true,
  lacks: (at, condition) => tell(at, { condition, cluster }),
});
