/** Runs the `test` blocks of a file: each is the file once more, with its variants and amendments on top. */
import type { Diagnostic } from "../dsl/diagnostics/diagnostic.ts";
import { type Verdict, verdictOf } from "../dsl/eval/judgement/judge.ts";
import type { Program } from "../dsl/eval/program.ts";
import type { Scope } from "../dsl/eval/scope.ts";
import type { Trial } from "../dsl/eval/variants/trial.ts";
import { positionAt, type Source } from "../dsl/source/source.ts";
import { show } from "../dsl/types/value.ts";
import { compile, type Compilation, type CompileOptions } from "./compile.ts";
import { optionsOf, pointsOfSweep, sweepUnknown, trialsOf, variantsWrong } from "./trial-options.ts";

export interface Judged extends Verdict {
  /** Counted from 1. */
  readonly line: number;
}

/** One test, or one point of the sweep that it runs over. */
export interface TrialResult {
  readonly title: string;
  readonly point: Readonly<Record<string, string>>;
  readonly passed: boolean;
  readonly asserts: readonly Judged[];
  /** What is wrong with the file as this test amends it. */
  readonly errors: readonly Diagnostic[];
}

/** `null` for a title that no test has; the titles that there are come with it. */
export function runTrials(
  source: Source,
  options: CompileOptions,
  titles: readonly string[],
): { readonly results: readonly TrialResult[]; readonly base: Compilation; readonly titles: readonly string[] } {
  const base = compile(source, options);
  const reported: Diagnostic[] = [];
  const trials = trialsOf(base.program, (d) => reported.push(d));
  const wanted = titles.length === 0 ? trials : trials.filter((t) => titles.includes(t.title));
  return {
    base,
    titles: trials.map((t) => t.title),
    results: wanted.flatMap((trial) => runTrial(trial, source, options, base, reported)),
  };
}

function runTrial(
  trial: Trial,
  source: Source,
  options: CompileOptions,
  base: Compilation,
  reported: readonly Diagnostic[],
): TrialResult[] {
  const own = reported.filter((d) => holds(trial, d));
  const unknown = variantsWrong(trial, base.program);
  const points = trial.over === null ? [[]] : pointsOfSweep(trial, base.program);
  if (own.length > 0 || unknown.length > 0 || points === null) {
    const errors = points === null ? [...own, ...unknown, sweepUnknown(trial, base.program)] : [...own, ...unknown];
    return [{ title: trial.title, point: {}, passed: false, asserts: [], errors }];
  }
  return points.map((values) => {
    const compiled = compile(source, optionsOf(trial, options, values));
    const errors = compiled.diagnostics.filter((d) => d.severity === "error");
    const scope: Scope = { module: compiled.program.root, locals: new Map(), self: null };
    const before = compiled.program.diagnostics.length;
    const asserts = trialAsserts(trial, compiled.program).map((node): Judged => {
      const at = positionAt(node.span.source, node.span.start);
      return { ...verdictOf(node, scope, compiled.program.context), line: at.line + 1 };
    });
    const found = [...errors, ...compiled.program.diagnostics.slice(before).filter((d) => d.severity === "error")];
    return {
      title: trial.title,
      point: Object.fromEntries(values.map(({ path, value }) => [path, show(value.value)])),
      passed: found.length === 0 && asserts.every((a) => a.outcome === "passed" || a.outcome === "likely"),
      asserts,
      errors: found,
    };
  });
}

/** The same test in the program that was made for it. */
function trialAsserts(trial: Trial, program: Program): Trial["asserts"] {
  const again = trialsOf(program, () => undefined);
  return (again.find((t) => t.node.span.start === trial.node.span.start) ?? trial).asserts;
}

const holds = ({ node }: Trial, { span }: Diagnostic): boolean =>
  node.span.source.path === span.source.path && node.span.start <= span.start && span.end <= node.span.end;
