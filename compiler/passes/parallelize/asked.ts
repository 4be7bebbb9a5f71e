/** What a stage asks of engines. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { layoutWaits } from "../../diagnostics/layout.ts";
import { splitsModel } from "../../engines/engine.ts";
import type { ClusterSpec } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import { candidatesOf, leastOf, split, unable, wordedFor } from "./candidates.ts";
import type { LaidStage } from "./laid-stage.ts";
import { named, namedWith, type Tried } from "./named.ts";
import { writtenOf } from "./pins.ts";
import { wrongWith } from "./wrong-with.ts";

/** The engines that are tried, plainest first, or what is wrong with what was written. */
export function askedOf(
  stage: LaidStage,
  cluster: ClusterSpec,
  model: SizedModel,
): { readonly tried: readonly Tried[]; readonly wrong: readonly Diagnostic[] } {
  const wrong = wrongWith(stage, cluster, model);
  if (wrong.length > 0) return { tried: [], wrong };
  const candidates = candidatesOf(stage);
  if (stage.engine !== null || wordedFor(stage) !== null)
    return { tried: candidates.map((engine) => ({ stage, engine })), wrong };
  const able = candidates.filter((engine) => unable(engine, stage, model, cluster) === null);
  const [plainest] = able;
  if (plainest === undefined) {
    const [first] = candidates;
    const why = first === undefined ? null : unable(first, stage, model, cluster);
    return { tried: [], wrong: waitingSplits(stage, why ?? "") };
  }
  const tried = able.flatMap((engine) => namedWith(stage, engine, cluster, model) ?? []);
  if (tried.length === 0) {
    // Of each word some engine does what it says, and of all together none.
    const instead = wrongWith(named(stage, plainest), cluster, model);
    return { tried: instead.length > 0 ? [] : able.map((engine) => ({ stage, engine })), wrong: instead };
  }
  const trainers = stage.linked === true ? tried.filter(({ engine }) => !splitsModel(engine)) : tried;
  return { tried: trainers.length > 0 ? trainers : tried, wrong };
}

/** All splits that wait for one engine are one message. */
function waitingSplits(stage: LaidStage, why: string): Diagnostic[] {
  const waiting = split
    .filter((property) => leastOf(stage, property) > 1)
    .map((property) => {
      const { value, span = stage.span } = writtenOf(stage.layout, property);
      return { split: `${property} ${value}`, span };
    });
  const [first, ...others] = waiting;
  if (first === undefined) return [];
  const splits = waiting.map((each) => each.split).join(", ");
  const related = others.map(({ span }) => ({ message: "here too", span }));
  return [layoutWaits(first.span, { splits, why }, { related })];
}
