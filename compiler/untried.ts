/** What is wrong inside presets, overlays and tests that were not asked for: each is tried on its own. */
import type { Diagnostic } from "../dsl/diagnostics/diagnostic.ts";
import { check } from "../dsl/eval/judgement/check.ts";
import { verdictOf } from "../dsl/eval/judgement/judge.ts";
import { createProgram, type Options, type Program } from "../dsl/eval/program.ts";
import type { Trial } from "../dsl/eval/variants/trial.ts";
import { variantsOf } from "../dsl/eval/variants/variants-of.ts";
import type { Source, Span } from "../dsl/source/source.ts";
import { registry } from "./kinds/index.ts";
import { optionsOf, pointsOfSweep, sweepUnknown, trialsOf, variantsWrong } from "./trial-options.ts";

export function untriedVariants(source: Source, program: Program, options: Options): Diagnostic[] {
  const own = (kind: "preset" | "overlay") =>
    variantsOf(program.root, kind, registry).filter((v) => v.module === program.root);
  const variants = [
    ...own("preset").map((symbol) => ({ symbol, choice: { preset: symbol.name.text, overlays: [] } })),
    ...own("overlay").map((symbol) => ({ symbol, choice: { preset: null, overlays: [symbol.name.text] } })),
  ];
  return variants.flatMap(({ symbol, choice }) => {
    if (symbol.name.text === options.preset || options.overlays.includes(symbol.name.text)) return [];
    const loaded = options.overlayFiles.length === 0 ? program.loaded : undefined;
    const trial = createProgram(source, registry, { ...options, overlayFiles: [], ...choice }, loaded);
    return within(check(trial, "values"), symbol.node.span);
  });
}

/** A test is typed where it stands; whether it holds is for `cdrc test`. */
export function untriedTests(source: Source, program: Program, options: Options): Diagnostic[] {
  const wrong: Diagnostic[] = [];
  for (const trial of trialsOf(program, (d) => wrong.push(d))) wrong.push(...typed(trial, source, program, options));
  return wrong;
}

function typed(trial: Trial, source: Source, program: Program, options: Options): Diagnostic[] {
  const unknown = variantsWrong(trial, program);
  const points = trial.over === null ? [[]] : pointsOfSweep(trial, program);
  if (points === null) unknown.push(sweepUnknown(trial, program));
  if (unknown.length > 0) return unknown;
  const isPlain = trial.amendments.length + trial.overlays.length === 0 && trial.preset === null;
  const made =
    isPlain && trial.over === null
      ? program
      : createProgram(source, registry, optionsOf(trial, options, points?.[0] ?? []));
  const again = trialsOf(made, () => undefined).find((t) => t.node.span.start === trial.node.span.start) ?? trial;
  const scope = { module: made.root, locals: new Map(), self: null };
  for (const node of again.asserts) verdictOf(node, scope, made.context);
  return within(made === program ? made.diagnostics : check(made, "values"), trial.node.span);
}

const within = (found: readonly Diagnostic[], { source, start, end }: Span): Diagnostic[] =>
  found.filter(({ span }) => span.source.path === source.path && start <= span.start && span.end <= end);
