/** What hover adds from the plan: the figures behind `auto(…)`, what a stage takes, how large a model is. */
import { counted } from "../../dsl/diagnostics/counted.ts";
import type { HoverPart } from "../../dsl/lsp/features/hover.ts";
import { chain } from "../../dsl/lsp/chain.ts";
import type { Meaning } from "../../dsl/lsp/meaning/meaning.ts";
import { instanceOf } from "../../dsl/lsp/value-at.ts";
import type { Type } from "../../dsl/kind.ts";
import { meanings } from "../../dsl/types/type.ts";
import { scales, units } from "../../dsl/types/units.ts";
import { number, showNumber } from "../../dsl/types/value.ts";
import type { Symbol } from "../../dsl/symbols/symbol.ts";
import type { Compilation } from "../compile.ts";
import { explain } from "../explain/explain.ts";
import type { SizedModel, StagePlan } from "../plan.ts";
import { choiceAt, numberOf } from "../passes/resolve/read.ts";
import { count } from "../passes/size/count.ts";
import { deviceHours, gigabytes, hours } from "./figures.ts";
import { modelFigures } from "../sized-models.ts";
import { stageOf } from "./stage-of.ts";

export const figuresOf: HoverPart<Compilation> = ({ meaning, owner, path }, compilation) => {
  if (meaning.kind === "property" && owner !== null) return decided(compilation, owner, path.join("."));
  if (meaning.kind === "derived")
    return meaning.symbol === undefined ? [] : derived(compilation, meaning.symbol, meaning.name);
  if (meaning.kind === "unit")
    return owner === null ? [] : [...shareOf(meaning, owner, compilation), ...inThePlan(meaning, owner, compilation)];
  const isAlone = meaning.kind === "auto" && meaning.constructor === null && owner !== null;
  const own = isAlone ? decided(compilation, owner, path.join(".")) : [];
  if (own.length > 0) return own;
  const symbol = meaning.kind === "symbol" ? meaning.symbol : meaning.kind === "auto" ? owner : null;
  const block = symbol === null ? null : instanceOf(compilation.program, symbol);
  if (block === null) return [];
  if (block.kind.name === "model") {
    const model = modelFigures(compilation, block);
    return model === null ? [] : [shape(model)];
  }
  const stage = symbol === null ? undefined : stageOf(symbol, compilation);
  return stage === undefined ? [] : [estimate(stage, compilation)];
};

/** What a share comes to, where its whole is known: `2%` of the run in steps and tokens. */
function shareOf({ name, literal, whole }: UnitMeaning, owner: Symbol, compilation: Compilation): string[] {
  const block = name === "%" ? instanceOf(compilation.program, owner) : null;
  if (block === null || literal === undefined) return [];
  const share = literal.value / 100;
  if (whole === "the run") {
    const stage = stageOf(owner, compilation);
    if (stage === undefined) return [];
    const { steps, tokens } = stage.total;
    const all = `${steps.toLocaleString("en")} steps, ${count(tokens)} tokens`;
    // A schedule takes whole steps.
    const own = Math.round(share * steps);
    return [`\`= ${counted(own, "step")}\`, ${count((own * tokens) / steps)} tokens, of ${all}`];
  }
  if (whole === "the peak rate") {
    const lr = numberOf(choiceAt(block, "optimizer")?.arguments.get("lr")?.value);
    return lr === null ? [] : [`\`= ${showNumber(number(share * lr))}\` of ${showNumber(number(lr))}`];
  }
  const model = whole === "the layers" && block.kind.name === "model" ? modelFigures(compilation, block) : null;
  return model === null ? [] : [`\`= ${figure(share * model.layers)} layers\` of ${model.layers}`];
}

type UnitMeaning = Extract<Meaning, { kind: "unit" }>;

/** A length in a stage, by what the plan makes of a step: `2B tokens` in steps, samples and hours. */
function inThePlan({ literal, expected }: UnitMeaning, owner: Symbol, compilation: Compilation): string[] {
  const stage = stageOf(owner, compilation);
  const { numerator = [], denominator = [] } = literal?.unit ?? {};
  const [name = "", ...others] = numerator;
  const unit = units.get(name);
  if (literal === undefined || stage === undefined || unit === undefined) return [];
  if (others.length > 0 || denominator.length > 0) return [];
  const { batch, time } = stage;
  const bases = Object.keys(unit.dimension);
  const perStep: Readonly<Record<string, number>> = {
    step: 1,
    token: batch.tokens_per_step,
    sample: batch.global_batch,
    second: time.step,
  };
  const own = bases.length === 1 ? perStep[bases[0] ?? ""] : undefined;
  if (own === undefined) return [];
  // Hours count steps only where steps could stand, too: a bound or a time-out is no stretch of the training.
  if (bases[0] === "second" && !takesSteps(expected ?? null)) return [];
  const amount = literal.value * (literal.scale === null ? 1 : scales[literal.scale]) * unit.factor;
  if (amount < own) return [];
  // A run takes whole steps, as its plan counts them.
  const steps = Math.ceil(amount / own - 1e-9);
  const said = [
    ...(bases[0] === "step" ? [] : [`${figure(steps)} step${steps === 1 ? "" : "s"}`]),
    ...(bases[0] === "token" ? [] : [`${count(steps * batch.tokens_per_step)} tokens`]),
    ...(bases[0] === "sample" ? [] : [`${figure(steps * batch.global_batch)} samples`]),
    ...(bases[0] === "second" ? [] : [hours((steps * time.step) / 3600)]),
  ];
  return [`in the plan: ${said.join(", ")}`];
}

const takesSteps = (type: Type | null): boolean =>
  meanings(type).some((each) => each.kind === "number" && each.dimensions.some(({ step }) => step === 1));

const figure = (value: number): string => {
  const short = Number.isInteger(value) ? value : Number(value.toPrecision(6));
  // Grouping would round it to nothing.
  return Math.abs(short) < 0.01 && short !== 0 ? String(short) : short.toLocaleString("en");
};

/** What is asked of a block: one figure, or the counts of a model, which are read in words. */
function derived(compilation: Compilation, of: Symbol, path: string): string[] {
  const block = instanceOf(compilation.program, of);
  const isCounts = block?.kind.name === "model" && path === "parameters";
  const model = isCounts ? modelFigures(compilation, block) : null;
  return model === null ? decided(compilation, of, path) : [shape(model)];
}

/** What the planner or the sizer made of a property that the file leaves open. */
function decided(compilation: Compilation, owner: Symbol, path: string): string[] {
  const name = instanceOf(compilation.program, owner)?.name ?? owner.name.text;
  const rows = explain(compilation, `${name}.${path}`);
  const same = rows.find((row) => row.path === path || row.path === `${name}.${path}`);
  const found = same ?? (rows.length === 1 ? rows[0] : undefined);
  const isOpen = found !== undefined && (found.origin.kind === "chosen" || found.origin.kind === "derived");
  return isOpen ? [`in the plan ${chain(found)}`] : [];
}

const shape = (model: SizedModel): string =>
  [
    `${model.parameters.total.toLocaleString("en")} parameters (${count(model.parameters.total)}), ${count(model.parameters.active)} active, ${count(model.parameters.embedding)} in embeddings`,
    `layers ${model.layers}, d_model ${model.d_model}, heads ${model.heads}, kv_heads ${model.kv_heads}, d_ff ${model.d_ff}, vocab ${model.vocab}, context ${model.context}`,
  ]
    .map((line) => `- ${line}`)
    .join("\n");

const estimate = ({ total, time, memory, layout, batch }: StagePlan, compilation: Compilation): string =>
  [
    `${total.steps.toLocaleString("en")} steps, ${count(total.tokens)} tokens, ${hours(total.hours)} on ${layout.world} ${layout.world === 1 ? "rank" : "ranks"}: ${deviceHours(total.gpu_hours, compilation, "hours")}${total.cost === null ? "" : `, ${Math.round(total.cost).toLocaleString("en")} usd`}`,
    `${hours(time.step / 3600)} per step, ${count(time.tokens_per_second)} tokens/s, MFU ${Math.round(100 * time.mfu)} %${interval(time.error)}`,
    `${gigabytes(memory.peak)} of ${gigabytes(memory.usable)} usable per rank${interval(memory.error)}`,
    `micro_batch ${batch.micro_batch}, accumulation ${batch.accumulation}, zero_stage ${layout.zero_stage}, recompute ${layout.recompute}`,
  ]
    .map((line) => `- ${line}`)
    .join("\n");

const interval = (error: number | null): string =>
  error === null ? " (no measurement behind it yet)" : ` (± ${Math.round(100 * error)} %)`;
