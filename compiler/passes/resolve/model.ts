import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { mayFollow } from "../../../dsl/eval/judgement/may-follow.ts";
import type { ChoiceValue, Valued } from "../../../dsl/types/value.ts";
import { families } from "../../models/index.ts";
import type { ClusterSpec, FamilyName, Given, ModelRequest, Scalar } from "../../pipeline.ts";
import { stagesOf } from "../../kinds/model/trained-vocab.ts";
import { plannedUse, type Spent } from "../size/planned-use.ts";
import { layerRulesOf, patternOf } from "./pattern.ts";
import { blockAt, choiceAt, given, group, scalar, settingsOf, textAt, valued } from "./read.ts";
import { type Reached, sizeOf, sizeProblem } from "./size.ts";
import { typicalStage } from "./typical-stage.ts";

/** What is no figure of the architecture, or is read in its own way. */
const otherwiseRead: ReadonlySet<string> = new Set([
  "family",
  "size",
  "tokenizer",
  "pattern",
  "from",
  "format",
  "key",
  "remote_code",
  "verify",
  "adapters",
  "init_scale",
  "head_bias",
]);
const parts: readonly string[] = ["moe", "mla", "ssm", "rwkv"];
/** What training does with them, and no figure of theirs. */
const ofTraining: ReadonlySet<string> = new Set(["moe.capacity"]);

/** `null` where the family, or something that decides the size, is missing or wrong; that was reported. */
export function modelRequest(block: Instance, tokenizerVocab: Given<number> | null): ModelRequest | null {
  const like = pluginFamily(block);
  const family = like?.name ?? textAt(block, "family");
  if (family === null || isSizeWrong(block, family)) return null;
  const names = Object.keys(block.kind.properties).filter((name) => !otherwiseRead.has(name));
  const { given: own, bounds } = settingsOf(block, names);
  const values = new Map([...(like === null ? [] : likenessOf(like)), ...own]);
  for (const name of parts) {
    const part = group(block, name);
    const inner = settingsOf(part, Object.keys(part?.kind.properties ?? {}));
    for (const [property, value] of inner.given)
      if (!ofTraining.has(`${name}.${property}`)) values.set(`${name}.${property}`, value);
    for (const [property, bound] of inner.bounds) bounds.set(`${name}.${property}`, bound);
  }
  const pattern = patternOf(block, values.get("layers")?.value);
  if (pattern !== null) values.set("pattern", pattern);
  const layerRules = pattern === null ? layerRulesOf(block) : null;
  const request: ModelRequest = {
    given: values,
    bounds,
    name: block.name ?? "model",
    span: block.span,
    family: given(family as FamilyName, valued(block, "family")),
    size: null,
    tokenizerVocab,
    ...(layerRules === null ? {} : { layerRules }),
    ...fromStages(block),
  };
  if (!(family in families)) return request;
  const reached = (spent: Spent, cluster: ClusterSpec): Reached | null => reachedBy(block, request, spent, cluster);
  return { ...request, size: sizeOf(block, family as FamilyName, reached) };
}

type FromStages = Pick<ModelRequest, "byMegatron" | "tensorRanks" | "pipelineStages">;

const known = new WeakMap<Instance, FromStages>();

/** What the stages that train it say: each of them asks for the model. */
function fromStages(block: Instance): FromStages {
  let said = known.get(block);
  if (said === undefined)
    known.set(block, (said = { ...(isMegatrons(block) ? { byMegatron: true } : {}), ...namedParts(block) }));
  return said;
}

/** Whether somebody trains it, and all who do take Megatron. An engine that follows from the model is not asked for. */
function isMegatrons(block: Instance): boolean {
  const engines = stagesOf(block).map((stage) =>
    block.symbol !== null && mayFollow(stage, ["engine"], block.symbol) ? null : choiceAt(stage, "engine")?.name,
  );
  return engines.length > 0 && engines.every((engine) => engine === "megatron");
}

/** The most tensor-parallel ranks and pipeline stages that a stage which trains it names, where they do not follow from the model. */
function namedParts(block: Instance): Pick<ModelRequest, "tensorRanks" | "pipelineStages"> {
  const layouts = stagesOf(block).flatMap((stage) => {
    if (block.symbol !== null && mayFollow(stage, ["layout"], block.symbol)) return [];
    const names = ["tensor_parallel", "pipeline_parallel", "virtual_pipeline"];
    const { given: own, bounds } = settingsOf(group(stage, "layout"), names);
    const [tensor = 1, stages = 1, chunks = 1] = names.map((name) => {
      const named = own.get(name)?.value ?? bounds.get(name)?.min;
      return typeof named === "number" ? named : undefined;
    });
    return [{ tensor, parts: stages * chunks }];
  });
  const tensorRanks = Math.max(1, ...layouts.map(({ tensor }) => tensor));
  const pipelineStages = Math.max(1, ...layouts.map(({ parts }) => parts));
  return {
    ...(tensorRanks > 1 ? { tensorRanks } : {}),
    ...(pipelineStages > 1 ? { pipelineStages } : {}),
  };
}

function reachedBy(block: Instance, request: ModelRequest, spent: Spent, cluster: ClusterSpec): Reached | null {
  const [trainer] = stagesOf(block);
  const typical = trainer === undefined ? null : typicalStage(trainer, block, request, cluster);
  if (typical === null) return null;
  const { stage, split, unread } = typical;
  const use = plannedUse(request, stage, split, cluster, spent);
  return use === null ? null : { ...use, unread };
}

/** Whether what says how large it is was reported: that nothing says it would be untrue. */
function isSizeWrong(block: Instance, family: string): boolean {
  const isWrong = ({ value }: Valued): boolean =>
    (value.kind === "unknown" && value.later !== true) ||
    (value.kind === "choice" && [...value.arguments.values()].some(isWrong));
  const written = ["size", "layers", "d_model", "pattern"].filter((name) => block.values.has(name));
  if (written.some((name) => isWrong(valued(block, name)))) return true;
  return family in families && sizeProblem(block, family as FamilyName) !== null;
}

/** The family that a plugin's model is like, with what differs from it. */
function pluginFamily(block: Instance): ChoiceValue | null {
  const plugin = blockAt(block, "family");
  return plugin === null ? null : choiceAt(plugin, "like");
}

function likenessOf(like: ChoiceValue): [string, Given<Scalar>][] {
  return [...like.arguments].flatMap(([name, value]) => {
    const plain = value.value.kind === "none" ? null : scalar(value.value);
    return plain === null ? [] : [[name, given(plain, value)]];
  });
}

/** Two sizes at once, or none: one of them would be forgotten. */
export function sizeSaidTwice(block: Instance): Diagnostic | null {
  const family = pluginFamily(block)?.name ?? textAt(block, "family");
  return family === null || !(family in families) ? null : sizeProblem(block, family as FamilyName);
}
