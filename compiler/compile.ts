/** The passes in order: source -> program -> pipeline -> plan. Emitting files is `emit`. */
import { withoutConsequences } from "../dsl/diagnostics/consequences/consequences.ts";
import type { Diagnostic } from "../dsl/diagnostics/diagnostic.ts";
import { inOwnFiles } from "../dsl/diagnostics/in-own-files.ts";
import { ordered } from "../dsl/diagnostics/order.ts";
import { check, judgeAll } from "../dsl/eval/judgement/check.ts";
import { emptyVariants } from "../dsl/eval/judgement/says-nothing.ts";
import { createProgram, type Options, type Program } from "../dsl/eval/program.ts";
import type { Source, Span } from "../dsl/source/source.ts";
import { splitsModel } from "./engines/engine.ts";
import { engines } from "./engines/index.ts";
import { registry } from "./kinds/index.ts";
import { providePlans } from "./kinds/stage-derived.ts";
import { besideRaw } from "./passes/beside-raw.ts";
import { coursesOf } from "./passes/courses.ts";
import { healthy } from "./passes/healthy.ts";
import { operations } from "./passes/operations/operations.ts";
import { redactor } from "./import/redact.ts";
import { writtenSecrets } from "./passes/operations/written-secrets.ts";
import { plan } from "./passes/parallelize.ts";
import { provision } from "./passes/provision.ts";
import type { Where } from "./passes/resolve/launch.ts";
import { resolve } from "./passes/resolve/pipeline.ts";
import { type Unexecuted, unexecuted } from "./passes/unexecuted.ts";
import type { CarriedOut } from "./passes/unexecuted/view.ts";
import { verifyCourses } from "./passes/verify-course.ts";
import { verifyDevices } from "./passes/verify-devices.ts";
import { verifyEnvironment } from "./passes/verify-environment.ts";
import { verifyLinks } from "./passes/verify-links.ts";
import { verifyPlan } from "./passes/verify-plan.ts";
import { verifyPoints } from "./passes/verify-points.ts";
import { verifyObjectives } from "./passes/verify-objective.ts";
import { verify } from "./passes/verify.ts";
import type { Pipeline } from "./pipeline.ts";
import type { Plan } from "./plan.ts";
import type { ReadSignatures } from "./plugins/signature.ts";
import { verifyPlugins } from "./plugins/verify.ts";
import { untriedTests, untriedVariants } from "./untried.ts";

export interface Compilation {
  readonly program: Program;
  readonly pipeline: Pipeline;
  readonly plan: Plan;
  readonly diagnostics: readonly Diagnostic[];
  /** What is said and nothing carries out yet: no diagnostic of the file, but of a run of it. */
  readonly unexecuted: Unexecuted;
}

export type CompileOptions = Options &
  Where & {
    /** How Python sources are read; without it nothing is held against them. */
    readonly signatures?: ReadSignatures;
  };

/** Time each phase took, in milliseconds, for `--stats`. */
export type Timing = (phase: string, milliseconds: number) => void;

export function compile(source: Source, options: CompileOptions, timing?: Timing): Compilation {
  const timed = <T>(phase: string, work: () => T): T => {
    if (timing === undefined) return work();
    const start = performance.now();
    const result = work();
    timing(phase, performance.now() - start);
    return result;
  };
  const program = timed("read and bind", () => createProgram(source, registry, options));
  timed("check", () => check(program));
  const resolved = timed("resolve", () => resolve(program, options));
  const errors = [...program.diagnostics, ...resolved.diagnostics].filter((d) => d.severity === "error");
  const { pipeline, planned } = timed("plan", () => {
    const provided = provision(
      // A file without errors opens no door.
      errors.length === 0 ? resolved.pipeline : healthy(resolved.pipeline, program, errors),
    );
    const { plan: made, diagnostics: said } = plan(provided.pipeline);
    const { choice } = provided;
    const whole = { ...resolved.pipeline, launch: provided.pipeline.launch };
    return {
      pipeline: whole,
      planned: {
        plan: choice === null ? made : { ...made, cluster: choice },
        diagnostics: errors.length === 0 ? said : [...said, ...besideRaw(whole, program, errors)],
      },
    };
  });
  providePlans(program.context, planned.plan.stages, pipeline);
  const judged = timed("judge", () => judgeAll(program));
  const isRead = !errors.some(({ code }) => code.startsWith("cdr/syntax-"));
  const courses = coursesOf(program, planned.plan, errors);
  const verified = timed("verify", () => [
    ...verify(program, pipeline, isRead),
    ...verifyEnvironment(pipeline, planned.plan),
    ...verifyDevices(pipeline.launch),
    ...verifyLinks(program, pipeline.launch, planned.plan.stages),
    ...verifyPlan(program, pipeline, planned.plan),
    ...verifyCourses(courses),
    ...verifyPoints(program, courses),
    ...verifyObjectives(program, planned.plan),
    ...operations(program, pipeline, planned.plan, courses),
  ]);
  // A trial is judged alone: what stands in other variants and tests is for the file itself.
  const unused = timed("variants", () =>
    options.trial === undefined
      ? [...untriedVariants(source, program, options), ...untriedTests(source, program, options)]
      : [],
  );
  const secrets = timed("secrets", () => writtenSecrets(program.modules.values()));
  const hasPlugins = program.blocks.some(({ kind }) => kind.name === "plugin");
  const plugins = timed("plugins", () => (hasPlugins ? verifyPlugins(program, options.signatures) : []));
  const found = [
    ...judged,
    ...plugins,
    ...resolved.diagnostics,
    ...planned.diagnostics,
    ...verified,
    ...secrets.diagnostics.filter((secret) => !judged.some((told) => saysMore(told, secret))),
    ...unused,
  ];
  const diagnostics = options.trial === undefined ? [...found, ...emptyVariants(program, found)] : found;
  const hidden = redactor(secrets.texts);
  const told = ordered(
    diagnostics.map((each) => inOwnFiles(each, source, () => importing(program, each.span.source.path))),
  );
  let carriedOut: Unexecuted | undefined;
  return {
    program,
    pipeline,
    plan: planned.plan,
    // A file without any opens no door (scripts/lazy-modules.mjs).
    diagnostics: told.length === 0 ? told : withoutConsequences(told).map(hidden.diagnostic),
    // Whoever only checks a file does not ask, and opens no door.
    get unexecuted() {
      return (carriedOut ??= unexecuted(program, pipeline.launch, (name) => carriedOutBy(planned.plan, name)));
    },
  };
}

/** The line that brings a file. */
function importing({ root }: Program, path: string): Span | null {
  const line = root.file.statements.find((each) => each.kind === "import" && each.from.parts[0] === path);
  return line?.span ?? null;
}

/** A stage without a plan has an error that says more. */
function carriedOutBy({ stages }: Plan, name: string): CarriedOut {
  const stage = stages.find((each) => each.name === name);
  if (stage === undefined || splitsModel(engines[stage.engine])) return "all";
  const { context_parallel, pipeline_parallel, expert_parallel } = stage.layout;
  return Math.max(context_parallel, pipeline_parallel, expert_parallel) > 1 ? "layout" : "none";
}

/** The same of the whole value, which knows what takes it. */
const saysMore = (told: Diagnostic, { code, span }: Diagnostic): boolean =>
  told.code === code &&
  told.span.source.path === span.source.path &&
  told.span.start <= span.start &&
  span.end <= told.span.end;
