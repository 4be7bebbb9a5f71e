/** `engine = deepspeed(version = …)`: what the release that a stage names does not know. */
import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import { engineLate, engineVersion } from "../../../diagnostics/engine.ts";
import { engineRawUnknown } from "../../../diagnostics/engine-raw.ts";
import type { StageStep } from "../../../pipeline.ts";
import type { Rule } from "../../engine.ts";
import { derivedConfig } from "../config.ts";
import { merge } from "../merge.ts";
import { isSection, valueOf } from "../value.ts";
import { knownReleaseOf, lateIn, newest, oldest } from "../versions.ts";
import { spanOf } from "./span.ts";

/** The release that judges a stage: the one that it names, or the newest known. */
export const releaseOf = ({ sharding: { version } }: StageStep): string =>
  (version === undefined ? null : knownReleaseOf(version.value)) ?? newest;

const shortOf = (release: string): string => release.split(".").slice(0, 2).join(".");

export const releases: Rule = {
  name: "releases",
  source: "deepspeed version.txt; runtime/config.py and the classes of its sections, release by release",
  check: (stage, plan) => {
    const { version } = stage.sharding;
    if (version === undefined) return [];
    const release = knownReleaseOf(version.value);
    if (release === null) {
      const valid = `${shortOf(oldest)} to ${shortOf(newest)}`;
      return [engineVersion(version.span, { engine: "deepspeed", version: version.value, valid })];
    }
    const config = valueOf(merge(derivedConfig(stage, plan), stage.raw));
    const related: Diagnostic["related"] = [{ message: "the release is named here", span: version.span }];
    return (isSection(config) ? lateIn(release, config) : []).map(({ path, came }) => {
      if (isWithin(stage.rawSpans, path)) {
        const history = `it needs ${came}, but the stage names ${version.value}`;
        const slots = { key: path, engine: `deepspeed ${version.value}`, nearest: null, history };
        return engineRawUnknown(spanOf(stage, path), slots, { related });
      }
      const from = "the stage and its plan";
      const slots = { argument: path, from, came, version: version.value, engine: "DeepSpeed" };
      return engineLate(stage.engine?.span ?? stage.span, slots, { related });
    });
  },
};

/** Is a key, or a section around it, written in `raw`? */
const isWithin = (spans: StageStep["rawSpans"], path: string): boolean =>
  spans.has(path) || [...spans.keys()].some((each) => each.startsWith(`${path}.`));
