/** Why the pins and bounds of a layout leave nothing: the fewest of them that already do, and what stands against each. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { layoutEmpty } from "../../diagnostics/layout.ts";
import type { Scalar, Settings } from "../../pipeline.ts";
import { allows } from "../../planner/allows.ts";
import { divisors } from "../../planner/divisors.ts";
import { choiceOf, spaceOf, type Variant } from "../../planner/search/space.ts";
import { replicasOf, worldOf, type Setting, type Split } from "../../planner/setting.ts";
import { cutsOf } from "../../planner/splits.ts";
import { boundText } from "../size/bounds.ts";
import { objectionsTo } from "./objections.ts";
import type { LaidStage } from "./laid-stage.ts";

/** Values worth reading. */
const most = 16;

export function conflictsOf(stage: LaidStage, setting: Setting): Diagnostic[] {
  let left = stage.layout;
  const found: (readonly string[])[] = [];
  while (isEmpty(setting, left)) {
    const names = fewest(setting, left);
    found.push(names);
    if (names.length === 0) break;
    left = without(left, names);
  }
  const order = namesOf(stage.layout);
  found.sort(([a = ""], [b = ""]) => order.indexOf(a) - order.indexOf(b));
  return found.map((names) => diagnosticOf(stage, setting, names, left));
}

const isEmpty = (setting: Setting, layout: Settings): boolean => spaceOf(setting, layout).size === 0;

/** Leaving out any one of them would make a layout possible, or leave the contradiction to the others. */
function fewest(setting: Setting, layout: Settings): readonly string[] {
  let kept = layout;
  for (const name of namesOf(layout)) {
    const fewer = without(kept, [name]);
    if (isEmpty(setting, fewer)) kept = fewer;
  }
  return namesOf(kept);
}

export const namesOf = ({ given, bounds }: Settings): string[] => [...new Set([...given.keys(), ...bounds.keys()])];

export function without({ given, bounds }: Settings, names: readonly string[]): Settings {
  const rest = <T>(map: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
    new Map([...map].filter(([name]) => !names.includes(name)));
  return { given: rest(given), bounds: rest(bounds) };
}

/** `others`: what the layout says that stands in nothing's way. */
function diagnosticOf(stage: LaidStage, setting: Setting, names: readonly string[], others: Settings): Diagnostic {
  const { layout } = stage;
  const said = names.map((name) => {
    const pin = layout.given.get(name);
    const bound = layout.bounds.get(name);
    const value = pin === undefined ? (bound === undefined ? "" : boundText(bound)) : `= ${String(pin.value)}`;
    return { name, text: `${name} ${value}`, span: pin?.span ?? bound?.spans[0] ?? stage.span };
  });
  const pinned = new Map(
    names.flatMap((name): [string, Scalar][] => {
      const pin = layout.given.get(name);
      // What is bounded from below is at least that.
      const least = name === "micro_batch" ? layout.bounds.get(name)?.min : null;
      const value = pin?.value ?? least ?? null;
      return value === null ? [] : [[name, value]];
    }),
  );
  const [only] = said;
  const rest = new Set([...namesOf(others), ...names.slice(1)]);
  const beside = without(
    layout,
    namesOf(layout).filter((name) => !rest.has(name)),
  );
  const valid = only === undefined ? [] : valuesOf(setting, beside, only.name);
  return layoutEmpty(
    only?.span ?? stage.span,
    {
      bounds: said.map(({ text }) => text).join(" together with ") || "the rules of the engine",
      why:
        names.length === 0
          ? againstAll(setting, others)
          : [...againstBounds(setting, layout, names), ...objectionsTo(setting, pinned)].join("; "),
    },
    {
      related: said.slice(1).map(({ text, span }) => ({ message: `together with ${text}`, span })),
      valid,
    },
  );
}

const splits: ReadonlySet<string> = new Set([
  "tensor_parallel",
  "pipeline_parallel",
  "context_parallel",
  "expert_parallel",
  "expert_tensor_parallel",
  "data_parallel",
]);

/** Bounds within which there is no part of the ranks. */
function againstBounds({ cluster }: Setting, { bounds }: Settings, names: readonly string[]): string[] {
  const world = worldOf(cluster);
  return names.flatMap((name) => {
    const bound = splits.has(name) ? bounds.get(name) : undefined;
    const among = { given: new Map(), bounds: new Map(bound === undefined ? [] : [[name, bound]]) };
    if (bound === undefined || divisors(world).some((size) => allows(among, name, size))) return [];
    return (bound.min ?? 0) > world ? [`there are ${world} ranks`] : [`it contains no divisor of ${world} ranks`];
  });
}

/** Why ranks and batch go together in no layout, whatever is pinned. */
function againstAll(setting: Setting, layout: Settings): string {
  const { cluster, globalBatch } = setting;
  const world = worldOf(cluster);
  const replicas = cutsOf(setting, layout).flatMap(({ tensor_parallel, context_parallel, pipelines }) =>
    pipelines.map((stages) => world / (tensor_parallel * context_parallel * stages)),
  );
  if (replicas.length === 0) return `${world} ranks cannot be split`;
  const least = Math.min(...replicas);
  return least > globalBatch
    ? `even with the largest splits, ${world} ranks are ${least} replicas, but a step has ${globalBatch} samples`
    : `${world} ranks are ${least} or more replicas, and no possible number of them divides the ${globalBatch} samples of a step`;
}

/** What a property may be, the other pins kept where they leave anything. */
function valuesOf(setting: Setting, layout: Settings, name: string): string[] {
  const { groups, variants } = spaceOf(setting, layout);
  const [variant] = variants;
  const values = new Set<Scalar>();
  for (const group of groups)
    for (const depth of group.depths) {
      if (name === "micro_batch") for (const micro of depth.micros) values.add(micro);
      if (variant === undefined || name === "micro_batch") continue;
      const choice = choiceOf(group, depth, depth.micros[0] ?? 1, variant);
      if (name === "data_parallel") values.add(replicasOf(setting.cluster, choice));
      else if (name in choice && !(name in variant)) values.add(choice[name as keyof Split]);
    }
  for (const variant of variants) {
    // As few layers as fit may be none, or a part of each.
    if (name === "recompute" && variant.least === true) values.add("none");
    if (name === "recompute" && variant.spared !== undefined) values.add("selective");
    if (name in variant) values.add(variant[name as Exclude<keyof Variant, "least" | "spared">]);
  }
  const sorted = [...values].sort((a, b) => Number(a) - Number(b));
  return sorted.length > most ? [...sorted.slice(0, most).map(String), "…"] : sorted.map(String);
}
