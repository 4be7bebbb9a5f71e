/** The release of Megatron that a stage names: whether it is known, and whether it has what the stage asks for. */
import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import { engineLate, engineVersion } from "../../../diagnostics/engine.ts";
import type { StageStep } from "../../../pipeline.ts";
import { bridgeFields, bridgeVersions } from "../bridge/fields.ts";
import { cameWith } from "../history.ts";
import { inexpressible } from "../lower/expressible.ts";
import { launchOf } from "../lower/launch.ts";
import { knownVersionOf, knownVersions } from "../table.ts";
import { rule } from "./rule.ts";

export const version = rule("version", "megatron/core/package_info.py", ({ megatron }) => {
  const { version: named, entry } = megatron;
  if (named === null) return [];
  if (entry !== undefined) {
    if (bridgeFields(named.value) !== null) return [];
    const slots = { engine: "Megatron Bridge", version: named.value, valid: bridgeVersions.join(" and ") };
    return [engineVersion(named.span, slots, { valid: bridgeVersions })];
  }
  if (knownVersionOf(named.value) !== null) return [];
  const slots = {
    engine: "megatron",
    version: named.value,
    valid: `${releaseOf(knownVersions.at(-1))} to ${releaseOf(knownVersions[0])}`,
  };
  return [engineVersion(named.span, slots, { valid: knownVersions.map(releaseOf) })];
});

const releaseOf = (version = ""): string => version.split(".").slice(0, 2).join(".");

/** What the stage asks for and the release that it names has no argument for. */
export const late = rule("late", "megatron/training/arguments.py: parse_args", (stage, plan, cluster) => {
  if (stage.megatron.version === null || inexpressible(plan.model).length > 0) return [];
  const { late: missing, table } = launchOf({ stage, plan, cluster });
  return missing.map(({ words, from, span }) => {
    const [argument = ""] = words;
    const came = cameWith(argument.replace(/=.*/s, ""), table.version) ?? releaseOf(knownVersions[0]);
    const slots = { argument: words.join(" "), from, came, version: releaseOf(table.version) };
    return engineLate(span, slots, { related: versionPlace(stage) });
  });
});

function versionPlace({ megatron: { version: named } }: StageStep): Diagnostic["related"] {
  return named === null ? [] : [{ message: "the release is named here", span: named.span }];
}
