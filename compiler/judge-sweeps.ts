/** What only shows at the points of a file's sweeps, told where the sweep gives the values that bring it about. */
import type { Diagnostic } from "../dsl/diagnostics/diagnostic.ts";
import { removal } from "../dsl/diagnostics/suggest.ts";
import type { Instance } from "../dsl/eval/blocks/instance.ts";
import { groupOf } from "../dsl/eval/blocks/property.ts";
import { isPresent } from "../dsl/eval/declarations/lookup.ts";
import type { PathValue } from "../dsl/eval/variants/variants.ts";
import type { Span } from "../dsl/source/source.ts";
import { show } from "../dsl/types/value.ts";
import { compile, type Compilation, type CompileOptions } from "./compile.ts";
import { sweepRuns } from "./diagnostics/operations.ts";
import { numberAt } from "./passes/resolve/read.ts";
import { someOf } from "./sweep-trials.ts";
import { type Sweep, type SweepPoint, sweepOf } from "./sweeps.ts";

/** Each point is one more reading of the file: of all sweeps together, so many are judged. */
const most = 16;

/** One point a step, so that whoever asks may stop between them. */
export type Judging = Generator<undefined, readonly Diagnostic[]>;

/** `null` where there is nothing to judge: no sweep, or errors that every point would have. */
export function judgeSweeps({ program, diagnostics }: Compilation, options: CompileOptions): Judging | null {
  const sweeps = program.blocks.filter(
    (block) =>
      block.kind.name === "sweep" && !block.abstract && block.symbol?.module === program.root && isPresent(block),
  );
  if (sweeps.length === 0 || diagnostics.some(({ severity }) => severity === "error")) return null;
  return judging(sweeps, { ...options, file: program.root.file }, Math.ceil(most / sweeps.length));
}

/** All of it at once. */
export function sweepErrors(compilation: Compilation, options: CompileOptions): readonly Diagnostic[] {
  const steps = judgeSweeps(compilation, options);
  let step = steps?.next();
  while (step?.done === false) step = steps?.next();
  return step?.value ?? [];
}

function* judging(blocks: readonly Instance[], options: CompileOptions, count: number): Judging {
  const found: Diagnostic[] = [];
  for (const block of blocks) {
    const sweep = sweepOf(block);
    found.push(...drawnRuns(block, sweep));
    const judged = new Map<SweepPoint, readonly Diagnostic[]>();
    for (const point of someOf(sweep.points, count)) {
      yield;
      const at = { overlays: [...options.overlays, ...sweep.overlays], trial: [], values: point.values };
      const { diagnostics } = compile(block.span.source, { ...options, ...at });
      judged.set(
        point,
        diagnostics.filter(({ severity }) => severity === "error"),
      );
    }
    for (const cause of causesIn(judged)) found.push(...told(cause, block, sweep, judged));
  }
  return found;
}

/** `runs = 20` where there are fewer combinations. */
function drawnRuns(block: Instance, { name, points }: Sweep): readonly Diagnostic[] {
  const entry = block.values.get("runs");
  const runs = numberAt(block, "runs");
  if (entry === undefined || runs === null || runs <= points.length) return [];
  const { nameSpan, expression } = entry;
  const fixes = [removal({ ...nameSpan, end: expression.span.end })];
  return [sweepRuns(expression.span, { sweep: name, runs, points: points.length }, { fixes })];
}

/** Points that cannot run, and the values that bring it about: none where only their combination does. */
interface Cause {
  readonly points: readonly SweepPoint[];
  readonly values: readonly PathValue[];
}

type Judged = ReadonlyMap<SweepPoint, readonly Diagnostic[]>;

function causesIn(judged: Judged): readonly Cause[] {
  const all = [...judged.keys()];
  const failed = new Set(all.filter((point) => (judged.get(point)?.length ?? 0) > 0));
  if (failed.size === 0) return [];
  const codeAt = (point: SweepPoint | undefined): string => (point && judged.get(point)?.[0]?.code) ?? "";
  const [first] = all;
  const indices = failed.size === all.length ? [] : [...(first?.values.keys() ?? [])];
  const causes = indices.flatMap(together(withoutBystanders(indices.flatMap(guilty), failed)));
  const rest = [...failed].filter((point) => !causes.some(({ points }) => points.includes(point)));
  return [...causes, ...[...Map.groupBy(rest, codeAt).values()].map((points) => ({ points, values: [] }))];

  /** Values of one variation at which no point can run. */
  function guilty(index: number): readonly Guilty[] {
    const points = Map.groupBy(all, ({ values }) => values[index]?.value);
    return [...points.values()]
      .filter((own) => own.every((point) => failed.has(point)))
      .map((own) => ({ index, own }));
  }

  /** Those of one variation where the same is wrong. */
  function together(blamed: readonly Guilty[]): (index: number) => readonly Cause[] {
    return (index) => {
      const alike = Map.groupBy(
        blamed.filter((each) => each.index === index),
        ({ own }) => codeAt(own[0]),
      );
      return [...alike.values()].map((each) => ({
        points: each.flatMap(({ own }) => own),
        values: each.flatMap(({ own }) => own[0]?.values[index] ?? []),
      }));
    };
  }
}

interface Guilty {
  readonly index: number;
  readonly own: readonly SweepPoint[];
}

/** A value that was only tried beside another at which nothing runs is no cause: those that explain most come first. */
function withoutBystanders(guilty: readonly Guilty[], failed: ReadonlySet<SweepPoint>): readonly Guilty[] {
  const unexplained = new Set(failed);
  return guilty
    .toSorted((a, b) => b.own.length - a.own.length)
    .filter(({ own }) => own.filter((point) => unexplained.delete(point)).length > 0);
}

/** What is wrong at the first of the points, where the sweep gives the values. */
function told({ points, values }: Cause, block: Instance, { name, stage }: Sweep, judged: Judged): Diagnostic[] {
  const [first] = points;
  if (first === undefined) return [];
  const shown = ({ path, value }: PathValue): string =>
    `\`${path.startsWith(`${stage}.`) ? path.slice(stage.length + 1) : path} = ${show(value.value)}\``;
  const isEvery = points.length === judged.size && points.length > 1;
  const together = first.values.map(shown).join(", ");
  const at = isEvery ? "any of its points" : values.length > 0 ? values.map(shown).join(" or ") : together;
  const own = block.symbol?.node.span ?? block.span;
  const alone = first.values.length === 1 && !isEvery ? first.values : values;
  const spans = [...alone.map(({ value }) => value.span), groupOf(block, "vary")?.span];
  const span = spans.find((each) => each !== undefined && holds(own, each)) ?? block.span;
  return (judged.get(first) ?? []).map((error) => ({
    ...error,
    message: `sweep \`${name}\` cannot run at ${at}: ${error.message}`,
    span,
    related: holds(own, error.span)
      ? error.related
      : [{ message: "where the error is", span: error.span }, ...error.related],
    fixes: [],
    fix: `Remove such values from \`vary\`. ${error.fix}`,
  }));
}

const holds = (own: Span, { source, start, end }: Span): boolean =>
  source.path === own.source.path && own.start <= start && end <= own.end;
