/**
 * Where a value came from: of the plan where a stage has one there, else of the block as the file says it. Pure; `cdrc explain`, hover
 * and inlay hints show what it gives.
 */
import type { Instance } from "../dsl/eval/instance.ts";
import type { Origin } from "../dsl/eval/origin.ts";
import { groupOf } from "../dsl/eval/property.ts";
import { type Trace, traceOf, traceOfName } from "../dsl/eval/trace.ts";
import type { Span } from "../dsl/source/source.ts";
import type { Compilation } from "./compile.ts";
import { stagePlanOrigin } from "./kinds/stage-derived.ts";
import { modelRequest } from "./passes/resolve/model.ts";
import { size } from "./passes/size.ts";
import type { StagePlan } from "./plan.ts";
import { show } from "../dsl/types/value.ts";

export interface Explanation {
  readonly path: string;
  readonly value: string;
  /** Whether there is a value by now: what an error touches has none. */
  readonly known: boolean;
  readonly origin: Origin;
  /** The expression as written, where it is more than the value. */
  readonly text: string | null;
  readonly span: Span | null;
  /** What it was computed from. */
  readonly from: readonly Explanation[];
}

/** What there is at a path and below it; empty where there is nothing. */
export function explain(compiled: Compilation, path: string): readonly Explanation[] {
  const [name = "", ...rest] = path.split(".");
  const stage = compiled.plan.stages.find((s) => s.name === name);
  const block = compiled.program.blocks.find((b) => b.name === name);
  const planned = stage === undefined ? [] : inPlan({ stage, block }, rest.join("."));
  if (planned.length > 0) return planned;
  if (block !== undefined) return inBlock(compiled, block, rest);
  const named = rest.length === 0 ? traceOfName(name, compiled.program.context) : null;
  return named === null ? [] : [ofTrace(named)];
}

const ofTrace = (trace: Trace): Explanation => ({ ...trace, from: trace.from.map(ofTrace) });

/** A stage in the plan, with the block that says it. */
interface Planned {
  readonly stage: StagePlan;
  readonly block: Instance | undefined;
}

/** What the plan holds at a path and below it. */
function inPlan(of: Planned, path: string): Explanation[] {
  return Object.keys(of.stage.origins)
    .filter((key) => path === "" || key === path || key.startsWith(`${path}.`))
    .flatMap((key) => planned(of, key, []) ?? []);
}

function planned(of: Planned, key: string, above: readonly string[]): Explanation | null {
  const { stage } = of;
  const origin = stage.origins[key];
  if (origin === undefined) return null;
  const from = above.includes(key) ? [] : inputsOf(of, origin, [...above, key]);
  return {
    path: key,
    value: textOf(at(stage, key)),
    known: true,
    origin,
    text: null,
    span: origin.kind === "written" ? origin.span : null,
    from,
  };
}

/** What a value was computed from: values of the plan, else what the block of the stage says there. */
function inputsOf(of: Planned, origin: Origin, above: readonly string[]): Explanation[] {
  if (origin.kind !== "derived") return [];
  return origin.inputs.flatMap((input) => {
    const found = keyOf(of.stage, input);
    if (found !== null) return found === above.at(-1) ? [] : (planned(of, found, above) ?? []);
    const said = of.block === undefined ? null : traceOf(of.block, input.split("."));
    return said === null ? [] : [ofTrace(said)];
  });
}

/** An input as the plan spells it: `micro_batch` is `batch.micro_batch`. */
function keyOf(stage: StagePlan, input: string): string | null {
  if (stage.origins[input] !== undefined) return input;
  const ending = Object.keys(stage.origins).filter((key) => key.endsWith(`.${input}`));
  return ending.length === 1 ? (ending[0] ?? null) : null;
}

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);

const at = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (object, key) =>
        typeof object === "object" && object !== null ? (object as Record<string, unknown>)[key] : undefined,
      value,
    );

/** What a block says at a path: `m.d_ff`, `s.optimizer.lr`, `s.layout.zero_stage`; all of it at none. */
function inBlock(compiled: Compilation, block: Instance, path: readonly string[]): Explanation[] {
  const [name, ...rest] = path;
  if (name === undefined) {
    const names = new Set([...Object.keys(block.kind.properties), ...block.values.keys()]);
    return [...names].flatMap((property) => inBlock(compiled, block, [property]));
  }
  const group = groupOf(block, name);
  if (group !== null)
    return inBlock(compiled, group, rest).map((row) => ({
      ...row,
      path: `${block.name ?? ""}.${name}.${tail(row.path)}`,
    }));
  const written = block.values.has(name) ? block.context.property(block, name, block.span) : null;
  if (block.kind.name === "model" && (written === null || written.value.kind === "auto")) {
    const chosen = ofModel(compiled, block, path.join("."));
    if (chosen !== null) return [chosen];
  }
  const trace = traceOf(block, path);
  if (trace === null) return [];
  const own = ofTrace(trace);
  const origin = block.kind.name === "stage" ? stagePlanOrigin(path.join(".")) : null;
  const stage = compiled.plan.stages.find((s) => s.name === block.name);
  if (origin === null || stage === undefined) return [own];
  const of = { stage, block };
  const key = typeof origin === "string" ? planned(of, origin, []) : null;
  if (typeof origin !== "string") return [{ ...own, origin, from: inputsOf(of, origin, []) }];
  return [key === null ? own : { ...own, origin: key.origin, span: key.span, from: key.from }];
}

const tail = (path: string): string => path.split(".").slice(1).join(".");

/** A property of a model that the family or the sizer decides: as the stage that trains it has it, else by itself. */
function ofModel(compiled: Compilation, block: Instance, path: string): Explanation | null {
  const trains = compiled.pipeline.steps.find((step) => step.kind === "stage" && step.model.name === block.name);
  const stage = compiled.plan.stages.find((s) => s.name === trains?.name);
  const stageBlock = compiled.program.blocks.find((b) => b.name === trains?.name);
  if (stage !== undefined) {
    const found = planned({ stage, block: stageBlock }, `model.${path}`, []);
    if (found !== null) return { ...found, path: `${block.name ?? "model"}.${path}` };
    const value = at(stage.model, path);
    const whole = stage.origins[`model.${path.split(".")[0] ?? ""}`];
    return value === undefined || whole === undefined
      ? null
      : {
          path: `${block.name ?? "model"}.${path}`,
          value: textOf(value),
          known: true,
          origin: whole,
          text: null,
          span: null,
          from: [],
        };
  }
  const request = modelRequest(block, null);
  const origin = request === null ? undefined : size(request).origins[path];
  const value = block.kind.derived?.[path]?.compute(block);
  return origin === undefined || value === undefined
    ? null
    : {
        path: `${block.name ?? "model"}.${path}`,
        value: show(value),
        known: value.kind !== "unknown",
        origin,
        text: null,
        span: null,
        from: [],
      };
}
