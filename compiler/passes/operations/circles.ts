/** Steps that wait for one another: each circle once, as a whole. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { stepCycle } from "../../diagnostics/pipeline.ts";
import { blocksIn, namedAfter, needsOf, saidIn } from "./references.ts";

/** `told`: values that wait for one another, of which nothing more is to be said. */
export function circles(blocks: readonly Instance[], told: readonly Span[]): Diagnostic[] {
  const done = new Set<Instance>();
  const found: Diagnostic[] = [];
  for (const first of blocks.filter(({ kind }) => kind.step === true)) {
    const way: { readonly of: Instance; readonly needs: Iterator<Instance> }[] = [];
    const places = new Map<Instance, number>();
    const enter = (of: Instance): void => {
      if (done.has(of)) return;
      places.set(of, way.length);
      way.push({ of, needs: waitsFor(of).values() });
    };
    enter(first);
    for (let last = way.at(-1); last !== undefined; last = way.at(-1)) {
      const next = last.needs.next();
      if (next.done === true) {
        way.pop();
        places.delete(last.of);
        done.add(last.of);
        continue;
      }
      const at = places.get(next.value);
      if (at === undefined) enter(next.value);
      else {
        const circle = [...way.slice(at).map(({ of }) => of), next.value];
        if (circle.some(({ span }) => told.some((value) => stands(value, span)))) continue;
        const steps = circle.map(({ name, kind }) => name ?? kind.name);
        found.push(stepCycle(next.value.span, { chain: steps.join(" -> ") }));
      }
    }
  }
  return found;
}

const stands = (inner: Span, { source, start, end }: Span): boolean =>
  inner.source.path === source.path && start <= inner.start && inner.end <= end;

/** What has to be done before a step can begin. */
function waitsFor(step: Instance): readonly Instance[] {
  const needs = needsOf(step);
  switch (step.kind.name) {
    // What is run again runs as it stands, and waits for what it stands after.
    case "repeat":
    case "sweep":
      return [...spokenIn(step), ...namedAfter(step)];
    // It measures its own weights by the evals that it lists.
    case "stage": {
      const listed = new Set(saidIn(step).flatMap(({ name, value }) => (name === "evals" ? blocksIn(value) : [])));
      return needs.flatMap((need) => (listed.has(need) ? spokenIn(need, "model") : [need]));
    }
    // It reads texts, which no tokenizer has read yet.
    case "tokenizer":
      return [...textsOf(needs, new Set())];
    default:
      return needs;
  }
}

/** What a block speaks of, outside of one of its properties where one is named. */
const spokenIn = (block: Instance, except?: string): readonly Instance[] =>
  saidIn(block).flatMap(({ name, value }) => (name === except ? [] : blocksIn(value)));

function* textsOf(blocks: readonly Instance[], seen: Set<Instance>): Generator<Instance> {
  for (const block of blocks) {
    if (block.kind.name !== "data") yield block;
    else if (!seen.has(block)) {
      seen.add(block);
      yield* textsOf(spokenIn(block, "tokenizer"), seen);
    }
  }
}
