/** What a layout says and no engine of its stage does. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { layoutParallel, layoutUnsupported, layoutWorld } from "../../diagnostics/layout.ts";
import { engines } from "../../engines/index.ts";
import { replicates, splitsModel, type Engine } from "../../engines/engine.ts";
import type { ClusterSpec } from "../../pipeline.ts";
import { detailText, type Details } from "../../planner/details.ts";
import { allows } from "../../planner/allows.ts";
import { worldOf } from "../../planner/setting.ts";
import { boundText } from "../size/bounds.ts";
import { candidatesOf, leastOf, split, type Split } from "./candidates.ts";
import type { LaidStage } from "./laid-stage.ts";
import { writtenOf } from "./pins.ts";
import { wordsOf } from "./words.ts";

export function impossiblePins(stage: LaidStage): Diagnostic[] {
  const found: Diagnostic[] = [];
  const able = candidatesOf(stage);
  const mostOf = (parallel: Split): number => Math.max(...able.map((e) => e.capabilities.parallel[parallel]));
  // Whoever names an engine is told that it cannot; otherwise the split waits for an engine that can.
  const refuse = (property: string, value: string, span: Span, limit: string): void => {
    const others = Object.values(engines).filter(
      (engine) =>
        split.some((name) => name === property && engine.capabilities.parallel[name] > 1) || splitsModel(engine),
    );
    const slots = {
      property,
      value,
      able: able.map(({ name }) => name),
      others: others.map(({ name }) => name).join(" or "),
    };
    const fixes = [replacement(span, limit, `use ${property} = ${limit}`)];
    found.push(layoutParallel(span, slots, { valid: [limit], fixes }));
  };
  for (const parallel of split) {
    const bound = stage.layout.bounds.get(parallel);
    const [span] = bound?.spans ?? [];
    const least = leastOf(stage, parallel);
    if (bound !== undefined && span !== undefined && least > mostOf(parallel))
      refuse(parallel, boundText(bound), span, String(mostOf(parallel)));
  }
  for (const [property, { value, span }] of stage.layout.given) {
    const parallel = split.find((name) => name === property);
    if (parallel !== undefined || property === "sequence_parallel") {
      const limit = parallel === undefined ? Number(able.some(splitsModel)) : mostOf(parallel);
      if (value === true && limit === 1) continue;
      if (value === false || (typeof value === "number" && value <= limit)) continue;
      refuse(property, `= ${String(value)}`, span, parallel === undefined ? "false" : String(limit));
    } else if (property !== "micro_batch" && property !== "data_parallel") {
      const asked = askedOfDetails(property, stage.details ?? {});
      const does = (one: Engine): boolean =>
        wordsOf(one, property).some((each) => each === value) &&
        asked.every((detail) => one.capabilities.details?.includes(detail) === true);
      const valid = [...new Set(able.flatMap((one) => wordsOf(one, property)))];
      if (able.some(does)) continue;
      const engine = either(able.map((e) => e.name));
      const others = Object.values(engines)
        .filter(does)
        .map((e) => e.name)
        .join(" or ");
      const slots = { property, value: detailText(String(value), stage.details ?? {}), engine, others };
      found.push(layoutUnsupported(span, slots, { valid: valid.map(String) }));
    }
  }
  return found;
}

const either = (names: readonly string[]): string => new Intl.ListFormat("en", { type: "disjunction" }).format(names);

function askedOfDetails(property: string, details: Details): (keyof Details)[] {
  const of: readonly (keyof Details)[] =
    property === "recompute" ? ["modules", "block", "uniform"] : property === "offload" ? ["offloaded"] : [];
  return of.filter((name) => details[name] !== undefined);
}

/** Where every rank is a replica, their number is the cluster's to say; a pin or a bound can only agree. */
export function wrongWorld(stage: LaidStage, cluster: ClusterSpec): Diagnostic[] {
  const world = worldOf(cluster);
  if (world > 1 && !candidatesOf(stage).every(replicates)) return [];
  if (allows(stage.layout, "data_parallel", world)) return [];
  const pin = stage.layout.given.get("data_parallel");
  const { value, span = stage.span } = writtenOf(stage.layout, "data_parallel");
  const slots = { value, world, ranks: `${cluster.nodes} x ${cluster.gpusPerNode} ranks of ${cluster.name}` };
  return [
    layoutWorld(span, slots, {
      valid: [String(world)],
      fixes: pin === undefined ? [] : [replacement(pin.span, String(world))],
      related: cluster.span.end === 0 ? [] : [{ message: "the ranks", span: cluster.span }],
    }),
  ];
}
