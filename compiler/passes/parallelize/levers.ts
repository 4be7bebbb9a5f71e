/** What of a layout or an engine would have to change so that a model fits on the devices that there are. */
import { splitsModel } from "../../engines/engine.ts";
import { engines } from "../../engines/index.ts";
import type { ClusterSpec, Settings } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import { layoutText } from "../../planner/describe.ts";
import { findWithin } from "../../planner/search/find.ts";
import type { Setting } from "../../planner/setting.ts";
import { boundText } from "../size/bounds.ts";
import { namesOf, without } from "./conflicts.ts";
import type { LaidStage } from "./laid-stage.ts";
import { namedWith } from "./named.ts";
import { settingOf } from "./setting-of.ts";

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
  return [...pinned, ...others.flatMap((setting) => engineLever(setting, layout))];
}

/** The engine of a setting with the layout that fits, if one does. */
function engineLever(setting: Setting, layout: Settings): Lever[] {
  const { best } = findWithin(setting, layout, Infinity);
  if (best === null) return [];
  const written = `\`engine = ${setting.engine.name}\``;
  return [{ text: `${written} (${layoutText(best.choice, setting.details)})`, fix: `write ${written}` }];
}

/** Engines that nobody named, and that split the model over ranks of which each then needs no sample of its own. */
export function splitLevers(
  stage: LaidStage,
  cluster: ClusterSpec,
  model: SizedModel,
  samples: number,
): readonly Lever[] {
  if (stage.engine !== null) return [];
  return Object.values(engines)
    .filter(splitsModel)
    .flatMap((engine) => {
      const named = namedWith(stage, engine, cluster, model);
      if (named === null) return [];
      return engineLever(settingOf(named.stage, cluster, model, samples, named.engine), stage.layout);
    });
}
