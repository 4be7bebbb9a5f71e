/** What of a layout or an engine would have to change so that a model fits on the devices that there are. */
import type { Settings } from "../../pipeline.ts";
import { layoutText } from "../../planner/describe.ts";
import { findWithin } from "../../planner/search/find.ts";
import type { Setting } from "../../planner/setting.ts";
import type { LaidStage } from "./laid-stage.ts";
import { namesOf, without, writtenOf } from "./pins.ts";
import type { SettingsFor } from "./settings-for.ts";

export interface Lever {
  /** What would fit, with its layout. */
  readonly text: string;
  readonly fix: string;
}

/** Each with the layout that fits then. `settingsFor`: with the engines that take another layout; `others`: with each that would have to be named. */
export function leversOf({ layout }: LaidStage, settingsFor: SettingsFor, others: readonly Setting[]): Lever[] {
  const names = namesOf(layout);
  const free = (dropped: readonly string[]): string | null => {
    const fewer = without(layout, dropped);
    for (const setting of settingsFor(fewer)) {
      const { best } = findWithin({ setting, layout: fewer }, Infinity);
      if (best !== null) return layoutText(best.choice, setting.details);
    }
    return null;
  };
  // The fewest that have to go: what may stay without harm stays.
  const pinned = (): Lever[] => {
    let [gone, fitting] = [names, names.length === 0 ? null : free(names)];
    if (fitting === null) return [];
    for (const name of names) {
      const fewer = gone.filter((each) => each !== name);
      const found = fewer.length === 0 ? null : free(fewer);
      if (found !== null) [gone, fitting] = [fewer, found];
    }
    const out = gone.map((name) => `\`${name} ${writtenOf(layout, name).value}\``).join(" and ");
    return [{ text: `without ${out} (${fitting})`, fix: `take out ${out}` }];
  };
  return [...pinned(), ...others.flatMap((setting) => engineLever(setting, layout))];
}

/** The engine of a setting with the layout that fits, if one does. */
function engineLever(setting: Setting, layout: Settings): Lever[] {
  const { best } = findWithin({ setting, layout }, Infinity);
  if (best === null) return [];
  const written = `\`engine = ${setting.engine.name}\``;
  return [{ text: `${written} (${layoutText(best.choice, setting.details)})`, fix: `write ${written}` }];
}
