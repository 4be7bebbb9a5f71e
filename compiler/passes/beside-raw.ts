/** What an engine says of the keys of a raw block beside those that could not be read. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import type { Program } from "../../dsl/eval/program.ts";
import type { Span } from "../../dsl/source/source.ts";
import type { Document } from "../document.ts";
import type { Pipeline, StageStep } from "../pipeline.ts";
import { healthy } from "./healthy.ts";
import { plan } from "./parallelize.ts";

interface Tried {
  readonly step: StageStep;
  /** Keys that were left out, as dotted paths. */
  readonly without: readonly string[];
}

/** Stages with a wrong key are judged without it: what is said of another key, and not of this one, holds whatever it would have said. */
export function besideRaw(
  pipeline: Pipeline,
  program: Program,
  errors: readonly Diagnostic[],
): readonly Diagnostic[] {
  const inKeys = new Set<Diagnostic>();
  const tried = new Map<string, Tried>();
  for (const step of pipeline.steps) {
    const block = step.kind === "stage" ? program.blocks.find(({ name }) => name === step.name) : undefined;
    if (step.kind !== "stage" || block === undefined) continue;
    const wrong = (engine: string): string[] =>
      wrongKeys(block.blocks.get(engine), (span) => {
        const inside = errors.filter((error) => isIn(error.span, span));
        for (const error of inside) inKeys.add(error);
        return inside.length > 0;
      });
    const [deepspeed, megatron] = [wrong("deepspeed"), wrong("megatron")];
    const without = [...deepspeed, ...megatron];
    if (without.length === 0) continue;
    const kept = { raw: leftOut(step.raw, deepspeed), rawMegatron: leftOut(step.rawMegatron, megatron) };
    tried.set(step.name, { step: { ...step, ...kept }, without });
  }
  if (tried.size === 0) return [];
  const steps = pipeline.steps.flatMap((step): Pipeline["steps"] =>
    step.kind === "stage" ? [tried.get(step.name)?.step ?? []].flat() : [step],
  );
  const others = errors.filter((error) => !inKeys.has(error));
  const { diagnostics } = plan(healthy({ ...pipeline, steps }, program, others));
  return diagnostics.filter((told) => [...tried.values()].some((one) => isOfKey(told, one)));
}

const isIn = (inner: Span, outer: Span): boolean =>
  inner.source.path === outer.source.path && outer.start <= inner.start && inner.end <= outer.end;

/** Those whose value holds an error. */
function wrongKeys(block: Instance | undefined, holdsError: (span: Span) => boolean, prefix = ""): string[] {
  if (block === undefined) return [];
  return [
    ...[...block.values]
      .filter(([, { expression }]) => holdsError(expression.span))
      .map(([key]) => `${prefix}${key}`),
    ...[...block.blocks].flatMap(([key, section]) => wrongKeys(section, holdsError, `${prefix}${key}.`)),
  ];
}

function leftOut(said: Readonly<Record<string, Document>>, without: readonly string[]): Record<string, Document> {
  const entries = Object.entries(said).flatMap(([key, value]): [string, Document][] => {
    if (without.includes(key)) return [];
    const inner = without.flatMap((path) => (path.startsWith(`${key}.`) ? [path.slice(key.length + 1)] : []));
    const isSection = inner.length > 0 && typeof value === "object" && value !== null && !Array.isArray(value);
    return [[key, isSection ? leftOut(value as Record<string, Document>, inner) : value]];
  });
  return Object.fromEntries(entries);
}

/** Whether something is told of a key that could be read, and says nothing of one that could not. */
function isOfKey({ span, message, related }: Diagnostic, { step, without }: Tried): boolean {
  const texts = [message, ...related.map((each) => each.message)];
  const names = without.map((path) => path.split(".").at(-1) ?? path);
  if (texts.some((text) => names.some((name) => spoken(text).includes(spoken(name))))) return false;
  const keys = [...step.rawSpans, ...step.rawMegatronSpans];
  return keys.some(([path, key]) => !without.includes(path) && isIn(span, key));
}

/** Arguments are spelt with dashes on a command line. */
const spoken = (text: string): string => text.replaceAll("-", "_");
