/** What an engine and a cluster have against the sizes that a layout names, in words. */
import { routedOf } from "../../models/routed.ts";
import type { Scalar, Settings } from "../../pipeline.ts";
import { allows } from "../../planner/allows.ts";
import { microBatches } from "../../planner/batch.ts";
import { divisors } from "../../planner/divisors.ts";
import { isPattern } from "../../planner/pipeline-cut.ts";
import { worldOf, type Setting } from "../../planner/setting.ts";
import { indivisible, isCut } from "../../planner/splits.ts";

const splits = ["tensor_parallel", "pipeline_parallel", "context_parallel", "data_parallel"] as const;

/** `replicas`: of which one might be, had the micro-batch no say. */
export function objectionsTo(setting: Setting, layout: Settings, replicas: readonly number[]): string[] {
  const pinned = pinnedIn(layout);
  const { family, model, cluster, globalBatch } = setting;
  const routed = routedOf(family, model);
  const world = worldOf(cluster);
  const size = (name: string): number | null => {
    const value = pinned.get(name);
    return typeof value === "number" ? value : null;
  };
  const wrong = [...pinned].filter(
    ([, value]) => typeof value === "number" && !(Number.isInteger(value) && value > 0),
  );
  const counted = wrong.filter(([name]) => name !== "zero_stage");
  if (counted.length > 0) return counted.map(([name]) => `${name} must be a whole number of at least 1`);

  const said: string[] = [];
  const sizes = splits.flatMap((name) => {
    const value = size(name);
    return value === null ? [] : [{ name, value }];
  });
  const product = sizes.reduce((all, { value }) => all * value, 1);
  const undivided: string[] = [];
  if (world % product !== 0) {
    if (sizes.length > 1)
      said.push(
        `${sizes.map(({ name, value }) => `${name} ${value}`).join(" x ")} = ${product} does not divide ${world} ranks`,
      );
    else undivided.push(`${world} ranks`);
  }
  const [tensor, stages, context] = [size("tensor_parallel"), size("pipeline_parallel"), size("context_parallel")];
  if (tensor !== null) undivided.push(...indivisible({ ...model, moe: routed }, tensor));
  const chunks = size("virtual_pipeline") ?? 1;
  if (!allows(layout, "pipeline_parallel", 1)) said.push(...againstPipeline(setting, layout));
  if (stages !== null && !isCut(setting, stages, chunks)) {
    if (stages > model.layers) said.push(`${model.layers} layers are fewer than ${stages} stages`);
    else if (chunks > 1 && !isPattern(model))
      said.push(`${model.layers} layers are fewer than ${stages} stages of ${chunks} chunks`);
    else undivided.push(`${model.layers} layers${chunks > 1 ? ` into ${chunks} chunks a stage` : ""}`);
  }
  if (stages === 1 && chunks > 1) said.push("interleaving needs more than one stage");
  const rest = world / ((tensor ?? 1) * (context ?? 1));
  if (stages === null && chunks > 1 && rest < 2) said.push("no ranks are left for interleaved stages");
  else if (stages === null && chunks > 1 && !isPattern(model))
    said.push(...againstChunks(setting, chunks, rest / (size("data_parallel") ?? 1), size("data_parallel")));
  if (chunks > 1 && isPattern(model)) said.push("models with several kinds of layers allow only one chunk per stage");
  if (context !== null && context > 1) said.push(...(setting.engine.unshared?.(setting, context) ?? []));
  if (!allows(layout, "expert_parallel", 1)) {
    const [expert, experts] = [size("expert_parallel"), routed?.experts ?? 0];
    if (experts === 0) said.push("none of the model's layers has experts");
    else said.push(...againstExperts(setting, layout));
    if (expert !== null && experts > 0 && experts % expert !== 0) undivided.push(`${experts} experts`);
  }
  said.push(...againstExpertGrid(setting, size));
  const micro = size("micro_batch");
  const counts = replicas.length > 0 ? replicas : [size("data_parallel") ?? 1];
  const [fewest = 1] = counts;
  const shared = counts.length > 1 ? `${fewest} or more replicas` : `${fewest} replicas`;
  const micros = counts.flatMap((each) => microBatches(globalBatch, each));
  if (!micros.some((each) => allows(layout, "micro_batch", each))) {
    const least = micro ?? layout.bounds.get("micro_batch")?.min ?? 1;
    const samples = `${globalBatch} samples ${fewest > 1 ? `over ${shared}` : "of a step"}`;
    if (micros.length === 0) undivided.push(`${globalBatch} samples of a step`);
    else if (least * fewest > globalBatch)
      said.push(`a step has ${globalBatch} samples${fewest > 1 ? ` for ${shared}` : ""}`);
    else if (micro !== null) undivided.push(samples);
    else said.push(`none of its values divides ${samples}`);
  }
  if (chunks > 1 && stages !== null && !counts.some((each) => globalBatch % (stages * each) === 0))
    said.push(
      `interleaved stages take micro-batches in groups of ${stages}, which do not divide ${globalBatch} samples of a step`,
    );
  const whole = pinned.get("sequence_parallel");
  if (whole === true && tensor === 1)
    said.push("sequence_parallel splits the sequence over tensor-parallel ranks, but there is only one");
  if (whole === true && tensor !== 1) said.push(...againstShared(setting, tensor, context ?? 1));
  if (whole === false && (tensor ?? 1) > 1 && routed !== undefined)
    said.push("experts with tensor parallelism need sequence_parallel");
  const [place, stage] = [pinned.get("offload"), pinned.get("zero_stage")];
  if (place === "all" && stage !== undefined && stage !== 3) said.push("offload = all needs zero_stage 3");
  if (place === "optimizer" && stage === 0) said.push("offload = optimizer needs zero_stage 1 to 3");
  const optimizer = setting.optimizer?.name ?? "adamw";
  const isWhole = setting.engine.wholeStates?.(optimizer) === true && place !== "optimizer";
  if (isWhole && typeof stage === "number" && stage > 0)
    said.push(`${setting.engine.name} cannot shard the states of ${optimizer}, which needs zero_stage 0`);
  if (place === "activations" && (stages ?? 1) > 1) said.push("offload = activations needs pipeline_parallel 1");
  const again = pinned.get("recompute");
  if (place === "activations" && again !== undefined && again !== "none")
    said.push("offload = activations needs recompute none");
  return undivided.length === 0 ? said : [...said, `it does not divide ${undivided.join(", ")}`];
}

function pinnedIn({ given }: Settings): ReadonlyMap<string, Scalar> {
  return new Map([...given].map(([name, { value }]) => [name, value]));
}

/** Why no number of stages that so many ranks allow holds so many chunks each. */
function againstChunks(setting: Setting, chunks: number, ranks: number, replicas: number | null): string[] {
  const { model, globalBatch, engine } = setting;
  const most = Math.min(engine.capabilities.parallel.pipeline_parallel, model.layers);
  const able = Number.isInteger(ranks) ? divisors(ranks).filter((stages) => stages > 1 && stages <= most) : [];
  if (able.length === 0) return [];
  const among = (stages: readonly number[]): string =>
    new Intl.ListFormat("en", { type: "disjunction" }).format(stages.map(String));
  const cut = able.filter((stages) => isCut(setting, stages, chunks));
  if (cut.length === 0)
    return [
      chunks * Math.min(...able) > model.layers + 2
        ? `${model.layers} layers are fewer than ${chunks} chunks a stage on ${among(able)} stages`
        : `${model.layers} layers, with or without the embedding and the loss counted as layers, do not divide into ${chunks} chunks a stage on ${among(able)} stages`,
    ];
  const samples = globalBatch / (replicas ?? 1);
  if (replicas === null || !Number.isInteger(samples) || cut.some((stages) => samples % stages === 0)) return [];
  return [
    `interleaved stages take micro-batches in groups of one for each stage, and ${globalBatch} samples of a step are ${samples} for each of ${replicas} replicas, which ${among(cut)} stages do not divide`,
  ];
}

/** Why no tensor-parallel ranks, or not so many, have equal parts of a sequence. */
function againstShared({ engine, cluster, sequence }: Setting, tensor: number | null, context: number): string[] {
  const most = engine.capabilities.parallel.tensor_parallel;
  const ranks = tensor === null ? divisors(worldOf(cluster)).filter((size) => size > 1 && size <= most) : [tensor];
  if (ranks.length === 0) return ["it splits the sequence over tensor-parallel ranks, but there is only one rank"];
  if (ranks.some((size) => (sequence / context) % size === 0)) return [];
  const among = new Intl.ListFormat("en", { type: "disjunction" }).format(ranks.map(String));
  return [`a sequence of ${sequence} tokens cannot be split evenly over ${among} tensor-parallel ranks`];
}

/** The same of an engine that shares experts in a form of its own. */
function againstExperts({ engine, model, tuning, compile }: Setting, layout: Settings): string[] {
  const { name, sharedExperts } = engine;
  if (sharedExperts === undefined) return [];
  const said = [...sharedExperts.unfound({ model, compile, ...(tuning === undefined ? {} : { tuning }) })];
  const form = `ranks of ${name} that share experts`;
  return [...said, ...against(form, "need", layout, { ...sharedExperts, context_parallel: [1] })];
}

/** Experts have a grid of their own beside the stages: ranks that share them, and ranks that share each. */
function againstExpertGrid({ family, model, cluster }: Setting, size: (name: string) => number | null): string[] {
  const [expert, each, stages] = [size("expert_parallel"), size("expert_tensor_parallel"), size("pipeline_parallel")];
  const routed = routedOf(family, model);
  const said: string[] = [];
  if (each !== null && each > 1) {
    if (routed === undefined) said.push(...(expert === null ? ["none of the model's layers has experts"] : []));
    else if (model.bias) said.push("experts with biases cannot be split");
    else if (routed.d_ff % each !== 0)
      said.push(`experts of ${routed.d_ff} cannot be split into ${each} equal parts`);
  }
  const world = worldOf(cluster);
  const sizes = Object.entries({ pipeline_parallel: stages, expert_parallel: expert, expert_tensor_parallel: each });
  const named = sizes.filter(([, ranks]) => ranks !== null);
  const held = named.reduce((product, [, ranks]) => product * (ranks ?? 1), 1);
  const product = named.map(([name, ranks]) => `${name} ${ranks}`).join(" x ");
  if ((expert ?? 1) * (each ?? 1) > 1 && world % held !== 0)
    said.push(`${product}${named.length > 1 ? ` = ${held}` : ""} does not divide ${world} ranks`);
  return said;
}

/** What an engine whose pipeline is a form of its own has against one beside the other pins. */
function againstPipeline({ engine, model, tuning, compile }: Setting, layout: Settings): string[] {
  const { name, pipelined } = engine;
  if (pipelined === undefined) return [];
  const said = [...pipelined.uncut({ model, compile, ...(tuning === undefined ? {} : { tuning }) })];
  return [...said, ...against(`a pipeline of ${name}`, "needs", layout, { ...pipelined, context_parallel: [1] })];
}

interface Taken {
  readonly zero_stages: readonly Scalar[];
  readonly offload: readonly Scalar[];
  readonly context_parallel: readonly Scalar[];
}

function against(form: string, takes: string, layout: Settings, taken: Taken): string[] {
  const { zero_stages: zero_stage, offload, context_parallel } = taken;
  return Object.entries({ zero_stage, offload, context_parallel })
    .filter(([property, valid]) => !valid.some((value) => allows(layout, property, value)))
    .map(([property, valid]) => `${form} ${takes} ${property} ${valid.join(" or ")}`);
}
