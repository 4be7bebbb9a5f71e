/** How long each stage trains: by its plan, or else by its own words, which need none. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { severalPresets } from "../../dsl/diagnostics/catalog/names.ts";
import { setTwice } from "../../dsl/diagnostics/catalog/properties.ts";
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import { isPresent } from "../../dsl/eval/declarations/lookup.ts";
import type { Program } from "../../dsl/eval/program.ts";
import { writtenLength } from "../kinds/stage/written-length.ts";
import type { Plan } from "../plan.ts";
import { byName } from "./by-name.ts";
import { untouched } from "./healthy.ts";

export interface Course {
  readonly steps: number;
  /** `null` where the batch is wrong, or left to a plan that could not be made. */
  readonly tokensPerStep: number | null;
}

export type Courses = ReadonlyMap<Instance, Course>;

export function coursesOf(program: Program, { stages }: Plan, errors: readonly Diagnostic[]): Courses {
  const hiding = errors.filter(hidesWords);
  const isRead = hiding.length === 0 ? () => true : untouched(program, hiding);
  const all = program.blocks.filter((block) => block.kind.name === "stage" && !block.abstract && isPresent(block));
  const plans = byName(stages);
  return new Map(
    all.flatMap((block) => {
      const planned = plans.get(block.name ?? "");
      if (planned !== undefined) {
        const { total, batch } = planned;
        return [[block, { steps: total.steps, tokensPerStep: batch.tokens_per_step }] as const];
      }
      const { steps, tokensPerStep } = writtenLength(block);
      return steps === null || !isRead([block]) ? [] : [[block, { steps, tokensPerStep }] as const];
    }),
  );
}

/** What makes a block say something else than it seems to. */
const hidesWords = ({ code }: Diagnostic): boolean =>
  code.startsWith("cdr/syntax-") || code === setTwice.code || code === severalPresets.code;
