/** The passes in order: source -> program -> pipeline -> plan. Emitting files is `emit`. */
import type { Diagnostic } from "../dsl/diagnostics/diagnostic.ts";
import { check } from "../dsl/eval/check.ts";
import { createProgram, type Options, type Program } from "../dsl/eval/program.ts";
import type { Source } from "../dsl/source/source.ts";
import { registry } from "./kinds/index.ts";
import { providePlans } from "./kinds/stage-derived.ts";
import { plan } from "./passes/parallelize.ts";
import type { Where } from "./passes/resolve/launch.ts";
import { resolve } from "./passes/resolve/pipeline.ts";
import { verify } from "./passes/verify.ts";
import type { Pipeline } from "./pipeline.ts";
import type { Plan } from "./plan.ts";

export interface Compilation {
  readonly program: Program;
  readonly pipeline: Pipeline;
  readonly plan: Plan;
  readonly diagnostics: readonly Diagnostic[];
}

export type CompileOptions = Options & Where;

/** Time each phase took, in milliseconds, for `--stats`. */
export type Timing = (phase: string, milliseconds: number) => void;

export function compile(source: Source, options: CompileOptions, timing: Timing = () => undefined): Compilation {
  const timed = <T>(phase: string, work: () => T): T => {
    const start = performance.now();
    const result = work();
    timing(phase, performance.now() - start);
    return result;
  };
  const program = timed("read and bind", () => createProgram(source, registry, options));
  const resolved = timed("resolve", () => resolve(program, options));
  const broken = [...program.diagnostics, ...resolved.diagnostics].some((d) => d.severity === "error");
  const planned = timed("plan", () => (broken ? { plan: { stages: [] }, diagnostics: [] } : plan(resolved.pipeline)));
  providePlans(program.context, planned.plan.stages);
  const checked = timed("check", () => check(program));
  const verified = timed("verify", () => verify(resolved.pipeline));
  const diagnostics = [...checked, ...resolved.diagnostics, ...planned.diagnostics, ...verified];
  return { program, pipeline: resolved.pipeline, plan: planned.plan, diagnostics: unique(diagnostics) };
}

/** Each message once, in the order of the text. */
function unique(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Map<string, Diagnostic>();
  for (const diagnostic of diagnostics) {
    const { span } = diagnostic;
    seen.set(`${diagnostic.code}\0${span.source.path}\0${span.start}\0${diagnostic.message}`, diagnostic);
  }
  return [...seen.values()].sort(
    (a, b) => a.span.source.path.localeCompare(b.span.source.path) || a.span.start - b.span.start,
  );
}
