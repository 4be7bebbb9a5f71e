/** What of a layout or an engine would have to change so that a model fits on the devices that there are. */
import { layoutText } from "../../planner/describe.ts";
import { findWithin } from "../../planner/search/find.ts";
import type { Setting } from "../../planner/setting.ts";
import { boundText } from "../size/bounds.ts";
import { namesOf, without } from "./conflicts.ts";
import type { LaidStage } from "./laid-stage.ts";

export interface Lever {
  /** What would fit, with its layout. */
  readonly text: string;
  readonly fix: string;
}

/** Each with the layout that fits then. `settings`: with the engine that was tried last, and with each other one. */
export function leversOf({ layout }: LaidStage, [tried, ...others]: readonly Setting[]): Lever[] {
  if (tried === undefined) return [];
  const names = namesOf(layout);
  const said = (name: string): string => {
    const pin = layout.given.get(name);
    const bound = layout.bounds.get(name);
    return `${name} ${pin === undefined ? (bound === undefined ? "" : boundText(bound)) : `= ${String(pin.value)}`}`;
  };
  const free = (dropped: readonly string[], setting: Setting): string[] => {
    const { best } = findWithin(setting, without(layout, dropped), Infinity);
    return best === null ? [] : [layoutText(best.choice, setting.details)];
  };
  // The fewest that have to go: what may stay without harm stays.
  const pinned = (names.length === 0 ? [] : free(names, tried)).map((): Lever => {
    let gone = names;
    for (const name of names) {
      const fewer = gone.filter((each) => each !== name);
      if (fewer.length > 0 && free(fewer, tried).length > 0) gone = fewer;
    }
    const out = gone.map((name) => `\`${said(name)}\``).join(" and ");
    return { text: `without ${out} (${free(gone, tried).join()})`, fix: `take out ${out}` };
  });
  const engines = others.flatMap((setting) =>
    free([], setting).map((found): Lever => {
      const written = `\`engine = ${setting.engine.name}\``;
      return { text: `${written} (${found})`, fix: `write ${written}` };
    }),
  );
  return [...pinned, ...engines];
}
