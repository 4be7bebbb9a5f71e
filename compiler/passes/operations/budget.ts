/** Tokens: how often a stage passes over its data, against how often it may; and whether there is text to measure on. */
import type { Diagnostic, Related } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { dataExhausted, dataRepeated, evalNothing } from "../../diagnostics/operations.ts";
import type { Courses } from "../courses.ts";
import { trainedShare } from "../resolve/trained-tokens.ts";
import {
  argument,
  blockAt,
  choiceAt,
  group,
  heldOut,
  numberAt,
  numberOf,
  settingsOf,
  unitOf,
  valued,
} from "../resolve/read.ts";

export function budget(blocks: readonly Instance[], courses: Courses): Diagnostic[] {
  return blocks.flatMap((stage) => {
    if (stage.kind.name === "eval") return unheld(stage);
    const data = stage.kind.name === "stage" ? blockAt(stage, "data") : null;
    if (data === null) return [];
    const { steps, tokensPerStep = null } = courses.get(stage) ?? { steps: 0 };
    const told = tokensPerStep === null ? [] : passes(stage, data, steps * tokensPerStep);
    return [...told, ...measured(stage, data)];
  });
}

function passes(stage: Instance, data: Instance, needed: number): Diagnostic[] {
  const sources = [...data.blocks.values()].filter((child) => child.kind.name === "source");
  const weights = sources.map((source) => numberAt(source, "weight") ?? 1);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const parts = [
    { part: data, share: 1 },
    ...sources.map((part, index) => ({ part, share: (weights[index] ?? 0) / whole })),
  ];
  return parts.flatMap(({ part, share }) => {
    const most = mostPasses(part);
    const held = tokensIn(part);
    if (held === null || (most === null && !isUnspoken(stage, part))) return [];
    const trained = held * trainedShare(data);
    const count = (needed * share) / trained;
    if (count <= (most?.value ?? worthwhile) * 1.001) return [];
    const slots = {
      stage: stage.name ?? "",
      needed: short(needed * share),
      data: part.name ?? "",
      held: short(trained),
      passes: Number(count.toPrecision(4)),
    };
    const { span } = valued(stage, "length");
    if (most === null)
      return [
        dataRepeated(span, slots, {
          related: [{ message: "the amount of data", span: valued(part, "tokens").span }],
        }),
      ];
    const related = [{ message: "the allowed number of epochs", span: most.span }];
    return [dataExhausted(span, { ...slots, most: most.value }, { related })];
  });
}

/** Epochs after which text that is read again teaches nothing more (Muennighoff et al. 2023, arXiv 2305.16264, figure 1). */
const worthwhile = 40;

/** Whether how often text is read follows from two facts that were written with no thought of each other. */
function isUnspoken(stage: Instance, part: Instance): boolean {
  const tokens = numberAt(part, "tokens");
  return tokens !== null && unitOf(valued(stage, "length").value) !== "epoch";
}

/** `epochs <= n`, or `epochs = n`. */
function mostPasses(block: Instance): { readonly value: number; readonly span: Span } | null {
  const { given, bounds } = settingsOf(block, ["epochs"]);
  const bound = bounds.get("epochs");
  const written = given.get("epochs");
  const [span] = bound?.spans ?? [];
  if (bound?.max != null && span !== undefined) return { value: bound.max, span };
  return typeof written?.value === "number" ? { value: written.value, span: written.span } : null;
}

function tokensIn(block: Instance): number | null {
  const from = choiceAt(block, "from");
  return numberAt(block, "tokens") ?? (from?.name === "random" ? numberOf(argument(from, "tokens")) : null);
}

/** A stage that measures the validation loss of no text. */
function measured(stage: Instance, data: Instance): Diagnostic[] {
  const evaluation = group(stage, "eval");
  if (evaluation === null || heldOut(data, "val") > 0) return [];
  return [evalNothing(evaluation.span, { data: data.name ?? "" }, { related: nothingHeld(data, "val") })];
}

/** Where it is said that a split holds nothing. */
function nothingHeld(data: Instance, which: "val" | "test"): readonly Related[] {
  const split = group(data, "split");
  const removed = data.values.get("split");
  const isSaid = split !== null && valued(split, which).origin.kind !== "default";
  const span = isSaid ? valued(split, which).span : split === null ? removed?.nameSpan : undefined;
  return span === undefined ? [] : [{ message: "no text is held out", span }];
}

/** An evaluation of a split that its data do not hold out. */
function unheld(evaluation: Instance): Diagnostic[] {
  const tasks = valued(evaluation, "tasks").value;
  const said = [
    valued(evaluation, "data"),
    ...(tasks.kind === "list" ? tasks.items : []).flatMap(({ value: task }) =>
      task.kind === "choice" ? (task.arguments.get("of") ?? []) : [],
    ),
  ];
  return said.flatMap(({ value, span }) => {
    if (value.kind !== "handle" || (value.which !== "val" && value.which !== "test")) return [];
    if (heldOut(value.block, value.which) > 0) return [];
    const slots = { data: value.block.name ?? "", split: value.which === "val" ? "validation" : "the end" };
    const related = nothingHeld(value.block, value.which);
    return [evalNothing(span, slots, { related })];
  });
}

const short = (tokens: number): string => {
  const [unit, by] =
    tokens >= 1e12 ? ["T", 1e12] : tokens >= 1e9 ? ["B", 1e9] : tokens >= 1e6 ? ["M", 1e6] : ["K", 1e3];
  return `${Number((tokens / Number(by)).toPrecision(4))}${unit} tokens`;
};
