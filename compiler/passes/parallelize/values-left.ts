/** What a property of a layout may be beside what else the layout says. */
import type { Scalar, Settings } from "../../pipeline.ts";
import { choiceOf, spaceOf, type Variant } from "../../planner/search/space.ts";
import { replicasOf, type Setting, type Split } from "../../planner/setting.ts";

/** Values worth reading. */
const most = 16;

/** With any of several engines, the other pins kept where they leave anything. */
export function valuesLeft(settings: readonly Setting[], layout: Settings, name: string): string[] {
  const values = new Set(settings.flatMap((setting) => [...valuesIn(setting, layout, name)]));
  const sorted = [...values].sort((a, b) => Number(a) - Number(b));
  return sorted.length > most ? [...sorted.slice(0, most).map(String), "…"] : sorted.map(String);
}

function valuesIn(setting: Setting, layout: Settings, name: string): ReadonlySet<Scalar> {
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
  return values;
}
