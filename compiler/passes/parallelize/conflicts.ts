/** Why the pins and bounds of a layout leave nothing: the fewest of them that already do, and what stands against each. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { layoutEmpty } from "../../diagnostics/layout.ts";
import type { ClusterSpec, Settings } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import { worldOf } from "../../planner/setting.ts";
import { askedOf } from "./asked.ts";
import type { LaidStage } from "./laid-stage.ts";
import { namesOf, only, without, writtenOf } from "./pins.ts";
import { laidAs, settingsFor, type Asked, type SettingsFor } from "./settings-for.ts";
import { valuesLeft } from "./values-left.ts";
import { ableOf, againstAll, whyNone } from "./why-none.ts";

/** A word that no engine does is a mistake by itself; one that some engine does conflicts with the words that this engine is not for. */
export function conflictsOf(asked: Asked): readonly Diagnostic[] {
  const { stage, cluster, model } = asked;
  const { layout } = stage;
  const settings = settingsFor(asked);
  const wrongIn = (among: Settings): readonly Diagnostic[] => askedOf(laidAs(stage, among), cluster, model).wrong;
  let left = layout;
  const sets: (readonly string[])[] = [];
  while (isEmpty(settings, left)) {
    const names = fewest(settings, left);
    sets.push(names);
    if (names.length === 0) break;
    left = without(left, names);
  }
  const alone = new Map(sets.map((names) => [names, names.length < 2 ? wrongIn(only(layout, names)) : []]));
  // All that wait for one engine are one message.
  if ([...alone.values()].every((wrong) => wrong.length > 0)) return wrongIn(layout);
  const order = namesOf(layout);
  sets.sort(([a = ""], [b = ""]) => order.indexOf(a) - order.indexOf(b));
  return sets.flatMap((names) => {
    const wrong = alone.get(names) ?? [];
    return wrong.length > 0 ? wrong : [diagnosticOf(stage, settings, names, left)];
  });
}

/** What the pins of a layout stand against whatever the batch, for one that cannot be shared out keeps them from being tried. */
export function conflictsBeside(stage: LaidStage, cluster: ClusterSpec, model: SizedModel): readonly Diagnostic[] {
  const layout = without(stage.layout, ["micro_batch"]);
  // Whatever number of replicas and stages divides the ranks divides this batch.
  return conflictsOf({ stage: { ...stage, layout }, cluster, model, globalBatch: worldOf(cluster) ** 2 });
}

/** Micro-batches of all layouts that a stage may have. */
export function microsOf(asked: Asked): readonly string[] {
  const free = without(asked.stage.layout, ["micro_batch"]);
  return valuesLeft(settingsFor(asked)(free), free, "micro_batch");
}

const isEmpty = (settings: SettingsFor, layout: Settings): boolean => ableOf(settings, layout).length === 0;

/** Leaving out any one of them would make a layout possible, or leave the contradiction to the others. */
function fewest(settings: SettingsFor, layout: Settings): readonly string[] {
  let kept = layout;
  for (const name of namesOf(layout)) {
    const fewer = without(kept, [name]);
    if (isEmpty(settings, fewer)) kept = fewer;
  }
  return namesOf(kept);
}

/** `others`: what the layout says that stands in nothing's way. */
function diagnosticOf(
  stage: LaidStage,
  settings: SettingsFor,
  names: readonly string[],
  others: Settings,
): Diagnostic {
  const { layout } = stage;
  const said = names.map((name) => {
    const { value, span = stage.span } = writtenOf(layout, name);
    return { name, text: `${name} ${value}`, span };
  });
  const [first] = said;
  const rest = names.slice(1);
  const beside = [[...namesOf(others), ...rest], rest].map((those) => only(layout, those));
  const kept = beside.find((those) => !isEmpty(settings, those)) ?? layout;
  const valid = first === undefined ? [] : valuesLeft(settings(kept), kept, first.name);
  return layoutEmpty(
    first?.span ?? stage.span,
    {
      bounds: said.map(({ text }) => text).join(" together with ") || "the rules of the engine",
      why: first === undefined ? againstAll(stage, settings, others) : whyNone(stage, settings, only(layout, names)),
    },
    {
      related: said.slice(1).map(({ text, span }) => ({ message: `together with ${text}`, span })),
      valid,
    },
  );
}
