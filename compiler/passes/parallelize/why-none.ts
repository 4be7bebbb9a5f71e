/** Why pins and bounds of a layout leave nothing together: which engines each is for, and what these have against them. */
import type { Engine } from "../../engines/engine.ts";
import type { Scalar, Settings } from "../../pipeline.ts";
import { allows } from "../../planner/allows.ts";
import { divisors } from "../../planner/divisors.ts";
import { spaceOf } from "../../planner/search/space.ts";
import { worldOf, type Setting } from "../../planner/setting.ts";
import { cutsOf } from "../../planner/splits.ts";
import { leastOf, split } from "./candidates.ts";
import type { LaidStage } from "./laid-stage.ts";
import { objectionsTo } from "./objections.ts";
import { namesOf, only, without, writtenOf } from "./pins.ts";
import type { SettingsFor } from "./settings-for.ts";
import { wordsOf } from "./words.ts";

/** Those that have something for it. */
export const ableOf = (settingsFor: SettingsFor, layout: Settings): readonly Setting[] =>
  settingsFor(layout).filter((setting) => spaceOf(setting, layout).size > 0);

/** `layout`: of the stage's, what leaves nothing, be it a single pin. */
export function whyNone(stage: LaidStage, settingsFor: SettingsFor, layout: Settings): string {
  const names = namesOf(layout);
  const against = (setting: Setting, among: readonly Setting[]): string[] => [
    ...againstBounds(among, layout),
    ...objectionsTo(setting, layout, replicasIn(among, layout)),
  ];
  const speak = (among: readonly Setting[]): string[] => {
    const setting = speakerIn(stage, among);
    return setting === undefined ? [] : against(setting, among);
  };
  if (names.length < 2) return speak(settingsFor(layout)).join("; ");

  const alone = names.map((name) => ({ name, able: ableOf(settingsFor, only(layout, [name])) }));
  const every = new Map(alone.flatMap(({ able }) => able.map((setting) => [setting.engine.name, setting])));
  const fit = [...every.values()].filter((one) => alone.every(({ able }) => able.some(isSame(one))));
  const said = speak(fit.length > 0 ? fit : [...every.values()]);
  // What every engine has against them needs no word of which engine they are for.
  const common = said.filter((each) => [...every.values()].every((one) => against(one, [one]).includes(each)));
  if (common.length > 0) return common.join("; ");
  const needs = alone
    .filter(({ able }) => able.length < every.size)
    .map(({ name, able }) => {
      const engines = able.map(({ engine }) => engine.name);
      return `${name} ${writtenOf(layout, name).value} needs engine ${either(engines)}`;
    });
  return [...needs, ...(fit.length > 0 ? said : [])].join("; ");
}

const isSame =
  ({ engine }: Setting) =>
  (other: Setting): boolean =>
    other.engine.name === engine.name;

/** Why ranks and batch go together in no layout, whatever is pinned. */
export function againstAll(stage: LaidStage, settingsFor: SettingsFor, layout: Settings): string {
  const setting = speakerIn(stage, settingsFor(layout));
  if (setting === undefined) return "";
  const { cluster, globalBatch } = setting;
  const world = worldOf(cluster);
  const [least] = replicasIn([setting], layout);
  if (least === undefined) return `${world} ranks cannot be split`;
  return least > globalBatch
    ? `even with the largest splits, ${world} ranks are ${least} replicas, but a step has ${globalBatch} samples`
    : `${world} ranks are ${least} or more replicas, and no possible number of them divides the ${globalBatch} samples of a step`;
}

/** Whose rules say why: where a layout asks for splits, not those of an engine that has each in a form of its own. */
function speakerIn(stage: LaidStage, settings: readonly Setting[]): Setting | undefined {
  const asks = split.some((property) => leastOf(stage, property) > 1);
  const isForm = ({ pipelined, sharedExperts }: Engine): boolean =>
    pipelined !== undefined || sharedExperts !== undefined;
  return settings.find(({ engine }) => !asks || !isForm(engine)) ?? settings[0];
}

/** Numbers of replicas that are left whatever their micro-batch, fewest first. */
function replicasIn(settings: readonly Setting[], layout: Settings): number[] {
  const free = without(layout, ["micro_batch"]);
  const found = settings.flatMap((setting) =>
    cutsOf(setting, free).flatMap(({ tensor_parallel, context_parallel, pipelines }) =>
      pipelines.map((stages) => worldOf(setting.cluster) / (tensor_parallel * context_parallel * stages)),
    ),
  );
  return [...new Set(found)].filter((replicas) => allows(layout, "data_parallel", replicas)).sort((a, b) => a - b);
}

const splits: ReadonlySet<string> = new Set([
  "tensor_parallel",
  "pipeline_parallel",
  "context_parallel",
  "expert_parallel",
  "expert_tensor_parallel",
  "data_parallel",
]);

/** Bounds within which there is no part of the ranks or of the batch, or nothing that the engines do. */
function againstBounds(settings: readonly Setting[], { bounds }: Settings): string[] {
  const [setting] = settings;
  if (setting === undefined) return [];
  const world = worldOf(setting.cluster);
  return [...bounds].flatMap(([name, bound]) => {
    const among = { given: new Map(), bounds: new Map([[name, bound]]) };
    const lacks = (values: readonly Scalar[]): boolean => !values.some((value) => allows(among, name, value));
    const words = [...new Set(settings.flatMap(({ engine }) => wordsOf(engine, name)))];
    if (words.length > 0) {
      const those = settings.map(({ engine }) => engine.name);
      return lacks(words) ? [`engine ${either(those)} supports only ${name} ${either(words.map(String))}`] : [];
    }
    if (!splits.has(name) || !lacks(divisors(world))) return [];
    return (bound.min ?? 0) > world ? [`there are ${world} ranks`] : [`it contains no divisor of ${world} ranks`];
  });
}

export const either = (words: readonly string[]): string =>
  new Intl.ListFormat("en", { type: "disjunction" }).format(words);
