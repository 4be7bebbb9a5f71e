/** What a stage says against itself or its model. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { removal, replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { FormulaTree, Valued } from "../../../dsl/types/value.ts";
import { show } from "../../../dsl/types/value.ts";
import { evalNever } from "../../diagnostics/course.ts";
import { lossConstant, lossExperts, lossNegative, lossObjective } from "../../diagnostics/losses.ts";
import { adaptersMerged, adaptersOfModel, adapterTarget, scalerUnneeded } from "../../diagnostics/stage.ts";
import { bestUnmeasured } from "../../diagnostics/pipeline.ts";
import { adapterTargets } from "../../kinds/adapters.ts";
import { terms } from "../../kinds/stage/losses.ts";
import { termsOf } from "../../kinds/stage/objectives.ts";
import { lossWeights } from "./loss-weights.ts";
import { checkAlone, checkListed, checkMeasured, checkWatching, validated } from "./measured.ts";
import { measures, withEval } from "./measures.ts";
import { checkWatched } from "./expectation-checks.ts";
import { namesIn } from "./names-in.ts";
import { checkObjective } from "./objective-checks.ts";
import { argument, blockAt, boolOf, choiceAt, decidedAt, expertsOf, textAt, textOf, valued } from "./read.ts";
import { checkSchedule } from "./schedule-checks.ts";

type Report = (diagnostic: Diagnostic) => void;

export function checkStage(block: Instance, report: Report): void {
  const model = blockAt(block, "model");
  checkScaler(block, report);
  checkSchedule(block, report);
  checkMerged(block, report);
  if (model !== null) {
    checkLoss(block, model, report);
    for (const owner of new Set([block, model])) checkAdapters(owner, model, report);
    checkModelAdapters(block, model, report);
  }
  checkObjective(block, model, report);
  checkWatched(block, model, report);
  checkMeasured(block, model, report);
  checkWatching(block, report);
  const evals = valued(block, "evals").value;
  for (const item of evals.kind === "list" ? evals.items : []) {
    if (item.value.kind !== "block") continue;
    if (valued(item.value.block, "every").value.kind === "none") {
      const why = "is listed in a stage but has no `every`, so it would never run";
      report(evalNever(item.span, { eval: item.value.block.name ?? "", why }));
    }
    checkWatched(item.value.block, model, report);
    checkMeasured(item.value.block, model, report);
    checkListed(item.value.block, block, report);
  }
}

/** An `eval` says when it measures, and what; `isAlone` where no stage of the file lists it. */
export function checkEval(block: Instance, isAlone: boolean, report: Report): void {
  const none = (name: string): boolean => valued(block, name).value.kind === "none";
  const name = block.name ?? "eval";
  if (none("model") && none("every")) {
    const why = "has neither a `model = stage.last` nor an `every` and a stage that lists it in `evals`";
    report(evalNever(block.span, { eval: name, why }));
  } else if (none("data") && none("tasks")) {
    const why = "measures nothing: it has neither `data` nor `tasks`";
    const fix = "Say what it measures: `data = DATA.val` for the loss, or `tasks = [hellaswag]`.";
    report(evalNever(block.span, { eval: name, why }, { fix }));
  }
  if (!isAlone) return;
  const { value } = valued(block, "model");
  const model = value.kind === "handle" ? blockAt(value.block, "model") : null;
  checkWatched(block, model, report);
  checkMeasured(block, model, report);
  checkAlone(block, report);
}

/** Runs are ranked by what their stage measures. An overlay may lay an `eval` over it, or take it away from a trial. */
export function checkSweep(block: Instance, report: Report): void {
  const stage = blockAt(block, "stage");
  const ranking = choiceAt(block, "best");
  const metric = ranking === null ? undefined : ranking.arguments.get("metric");
  if (stage === null || ranking === null || metric?.value.kind !== "formula") return;
  const overlays = valued(block, "overlays").value;
  if (measures(stage) || (overlays.kind === "list" && overlays.items.length > 0)) return;
  const { origin } = valued(stage, "eval");
  if (origin.kind === "written" && origin.layer !== "file") return;
  const measured = namesIn(metric.value.tree).find((name) => validated.has(name));
  if (measured === undefined) return;
  const name = stage.name ?? "stage";
  const fix = `Add \`eval { every = 500 steps }\` to stage \`${name}\`, or rank by the training loss: \`${ranking.name}(loss)\`.`;
  const fixes = [withEval(stage, block.span.source), replacement(metric.span, "loss")].filter(
    (each) => each !== null,
  );
  report(bestUnmeasured(metric.span, { stage: name, what: `${ranking.name}(${measured})` }, { fix, fixes }));
}

function checkScaler(block: Instance, report: Report): void {
  const scaler = choiceAt(block, "scaler");
  const precision = choiceAt(block, "precision")?.name ?? null;
  // A scaler of one's own may do something else than fp16 needs.
  if (scaler === null || scaler.declared !== undefined || precision === null || precision === "fp16") return;
  const entry = block.values.get("scaler");
  const fixes = entry === undefined ? [] : [removal({ ...entry.nameSpan, end: entry.expression.span.end })];
  report(scalerUnneeded(valued(block, "scaler").span, { scaler: scaler.name, precision }, { fixes }));
}

function checkLoss(block: Instance, model: Instance, report: Report): void {
  const loss = valued(block, "loss");
  const terms = loss.value.kind === "formula" ? namesIn(loss.value.tree) : [];
  if (loss.value.kind === "formula") checkWeights(loss.value.tree, loss, report);
  const routed = ["load_balance", "z_loss"].filter((name) => terms.includes(name));
  if (routed.length > 0 && (expertsOf(model) ?? 2) < 2)
    for (const term of routed) report(lossExperts(loss.span, { term, model: model.name ?? "" }));
  const said = valued(block, "objective");
  if (said.value.kind === "unknown" || loss.value.kind === "unknown") return;
  const objective = choiceAt(block, "objective");
  const at = objective === null ? loss : said;
  const given = objective?.declared === undefined ? termsOf[objective?.name ?? ""] : undefined;
  for (const term of new Set(
    Object.values(termsOf)
      .flat()
      .filter((name) => terms.includes(name)),
  )) {
    if (objective?.declared !== undefined || given?.includes(term) === true) continue;
    const names = Object.keys(termsOf).filter((name) => termsOf[name]?.includes(term));
    const missing = `\`objective = ${names.join("(…)` or `")}(…)\``;
    const fix = `Write ${missing} too, or remove \`${term}\` from the loss.`;
    report(lossObjective(loss.span, { what: `\`${term}\` is a term of the loss`, missing }, { fix }));
  }
  if (given !== undefined && !terms.includes(given[0])) {
    // A student learns from its data as well; preferences and rewards are all that a policy learns from.
    const whole = given[0] === "distill" ? "cross_entropy + distill" : given[0];
    report(
      lossObjective(
        at.span,
        { what: `\`${objective?.name}\``, missing: `the term \`${given[0]}\` in the loss` },
        { fix: `Add the term to the loss, \`loss = ${whole}\`, or remove the objective.` },
      ),
    );
  }
}

/** Terms that cancel each other leave a number, and what is minimised has a weight above zero. */
function checkWeights(tree: FormulaTree, loss: Valued, report: Report): void {
  const weights = lossWeights(tree);
  if (weights === null) return;
  const left = [...weights].filter(([term, weight]) => term !== "" && Math.abs(weight) > 1e-12);
  if (left.length === 0) {
    const { value } = loss;
    report(lossConstant(loss.span, { loss: typeof tree === "number" ? shown(tree) : `\`${show(value)}\`` }));
  }
  for (const [term, weight] of left) {
    const [name = ""] = term.split(" ");
    if (weight < 0 && minimised.has(name)) report(lossNegative(loss.span, { term: name, weight: shown(weight) }));
  }
}

const shown = (value: number): string => show({ kind: "number", value, dimension: {}, percent: false });

/** Errors and penalties; an entropy is a good thing to have more of, and what a plugin gives is its own affair. */
const minimised: ReadonlySet<string> = new Set(Object.keys(terms).filter((name) => name !== "entropy"));

/** What a model says of adapters that alone would be trained: a stage without its own trains every weight. */
function checkModelAdapters(block: Instance, model: Instance, report: Report): void {
  if (choiceAt(model, "adapters")?.name !== "lora" || choiceAt(block, "adapters") !== null) return;
  const { source, start, end } = valued(model, "adapters").span;
  const said = `adapters = ${source.text.slice(start, end)}`;
  const slots = { stage: block.name ?? "stage", model: model.name ?? "model" };
  report(adaptersOfModel({ source, start, end }, slots, { fix: `Write \`${said}\` in stage \`${slots.stage}\`.` }));
}

/** Nobody says that every weight is trained after adapters alone were. */
function checkMerged(block: Instance, report: Report): void {
  const { value, span } = valued(block, "from");
  if (value.kind !== "handle" || block.values.has("adapters")) return;
  if (choiceAt(value.block, "adapters")?.name !== "lora") return;
  const related = [{ message: "the adapters", span: valued(value.block, "adapters").span }];
  report(adaptersMerged(span, { stage: block.name ?? "stage", from: value.block.name ?? "stage" }, { related }));
}

/** Each target is a matrix that the model has. */
function checkAdapters(owner: Instance, model: Instance, report: Report): void {
  const adapters = choiceAt(owner, "adapters");
  const targets = adapters === null ? undefined : argument(adapters, "targets");
  if (targets?.kind !== "list") return;
  for (const { value, span } of targets.items) {
    const target = textOf(value) as keyof typeof adapterTargets | null;
    const why = target === null ? null : absent(adapterTargets[target], model);
    if (target === null || why === null) continue;
    const valid = Object.entries(adapterTargets).flatMap(([name, part]) =>
      absent(part, model) === null ? [name] : [],
    );
    report(adapterTarget(span, { target, model: model.name ?? "", why }, { valid }));
  }
}

/** Why a model lacks a part; `null` where it has it. */
function absent(part: (typeof adapterTargets)[keyof typeof adapterTargets], model: Instance): string | null {
  const family = textAt(model, "family");
  const pattern = valued(model, "pattern").value.kind !== "none";
  switch (part) {
    case "experts":
      return expertsOf(model) === 0 ? "none of its layers has experts" : null;
    case "rwkv":
      return family === null || /rwkv|cdrmix/.test(family) ? null : `family ${family} has no RWKV layers`;
    case "mamba":
      return family === null || /mamba|bamba|nemotron_h|jamba/.test(family)
        ? null
        : `family ${family} has no state-space layers`;
    case "attention":
      return family !== null && /^(mamba2?|rwkv7)$/.test(family) && !pattern
        ? `family ${family} has no attention`
        : null;
    case "gate":
      return boolOf(decidedAt(model, "gated")) === false ? "its feed-forward part has no gate" : null;
    default:
      return null;
  }
}
