/**
 * What a raw block says where the stage says nothing: a default contradicts nobody, so the engine's own words stand in its place, and the
 * plan, the trainer and the command line all hold them. What the file writes is held against them elsewhere.
 */
import type { Span } from "../../../dsl/source/source.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { saidIn } from "../../engines/deepspeed/raw-engine.ts";
import { rawEntry, rawWord } from "../../engines/megatron/raw-word.ts";
import type { EngineName, OptimizerSpec, Precision, ScheduleSpec, StageStep } from "../../pipeline.ts";
import { choiceAt, valued } from "./read.ts";

type Stage = Omit<StageStep, "length" | "expectations">;

/** Words of an engine, `undefined` where its raw block has none or they are of another type. */
interface Words {
  readonly number: (name: string) => number | undefined;
  readonly flag: (name: string) => boolean | undefined;
  readonly text: (name: string) => string | undefined;
  /** Where it is written. */
  readonly spanOf: (name: string) => Span | undefined;
}

type Reading = (stage: Stage, words: Words) => Partial<Stage>;

/** By the properties that they stand for; a dot leads into a block or a choice. */
const megatron: Readonly<Record<string, Reading>> = {
  precision: (stage, { flag, text, spanOf }) =>
    precisionOf(stage, spanOf, [
      [text("fp8") !== undefined, "fp8", "fp8"],
      [text("fp4") !== undefined, "fp4", "fp4"],
      [flag("fp16") === true, "fp16", "fp16"],
      [flag("bf16") === true, "bf16", "bf16"],
      [flag("bf16") === false, "fp32", "bf16"],
    ]),
  clip: ({ clip }, { number }) => ({ clip: limit(number("clip_grad"), clip) }),
  seed: ({ seed }, { number }) => ({ seed: number("seed") ?? seed }),
  "log.every": ({ log }, { number }) => ({ log: { every: steps(number("log_interval")) ?? log.every } }),
  "checkpoint.every": ({ checkpoint }, { number }) =>
    checkpoint === null
      ? {}
      : { checkpoint: { ...checkpoint, every: steps(number("save_interval")) ?? checkpoint.every } },
  "optimizer.betas": changed(({ betas: [first, second] }, { number }) => ({
    betas: [number("adam_beta1") ?? first, number("adam_beta2") ?? second],
  })),
  "optimizer.eps": changed(({ eps }, { number }) => ({ eps: number("adam_eps") ?? eps })),
  "optimizer.weight_decay": changed(({ weightDecay }, { number }) => ({
    weightDecay: number("weight_decay") ?? weightDecay,
  })),
  "optimizer.momentum": changed(({ name, momentum }, { number }) => {
    const said = number(name === "sgd" ? "sgd_momentum" : "muon_momentum") ?? momentum;
    return said === undefined ? {} : { momentum: said };
  }),
  "optimizer.nesterov": changed(({ muon }, { flag }) =>
    muon === undefined ? {} : { muon: { ...muon, nesterov: flag("muon_nesterov") ?? muon.nesterov } },
  ),
  "optimizer.iterations": changed(({ muon }, { number }) =>
    muon === undefined ? {} : { muon: { ...muon, iterations: number("muon_num_ns_steps") ?? muon.iterations } },
  ),
  "schedule.warmup": rated(({ warmup }, { number }) => ({ warmup: steps(number("lr_warmup_iters")) ?? warmup })),
  "schedule.cooldown": rated(({ cooldown }, { number }) => ({
    cooldown: steps(number("lr_wsd_decay_iters")) ?? cooldown,
  })),
  "schedule.to": ({ schedule, optimizer }, { number }) => {
    const least = number("min_lr");
    return least === undefined || optimizer.lr <= 0 ? {} : { schedule: { ...schedule, to: least / optimizer.lr } };
  },
};

const deepspeed: Readonly<Record<string, Reading>> = {
  precision: (stage, { flag, spanOf }) =>
    precisionOf(stage, spanOf, [
      [flag("fp16.enabled") === true, "fp16", "fp16.enabled"],
      [flag("bf16.enabled") === true, "bf16", "bf16.enabled"],
      [flag("bfloat16.enabled") === true, "bf16", "bfloat16.enabled"],
      [flag("bf16.enabled") === false, "fp32", "bf16.enabled"],
    ]),
  clip: ({ clip }, { number }) => ({ clip: limit(number("gradient_clipping"), clip) }),
};

const readers: Readonly<Record<EngineName, Readonly<Record<string, Reading>>>> = { megatron, deepspeed, torch: {} };

export function withRawDefaults(stage: Stage, block: Instance): Stage {
  const readings = readers[readerOf(stage)];
  const words = wordsOf(stage);
  return Object.entries(readings).reduce<Stage>(
    (before, [property, reading]) => (isDefault(block, property) ? { ...before, ...reading(before, words) } : before),
    stage,
  );
}

/** Where the stage leaves the engine to the compiler, its raw block says which one is meant. */
function readerOf({ engine, raw, rawMegatron }: Stage): EngineName {
  const isSaid = (block: Stage["raw"]): boolean => Object.keys(block).length > 0;
  if (engine !== null) return engine.value;
  if (isSaid(rawMegatron)) return isSaid(raw) ? "torch" : "megatron";
  return isSaid(raw) ? "deepspeed" : "torch";
}

function wordsOf(stage: Stage): Words {
  const inDeepSpeed = saidIn(stage.raw);
  const said = (name: string): unknown =>
    readerOf(stage) === "megatron" ? rawWord(stage.rawMegatron, name) : inDeepSpeed(name);
  return {
    number: (name) => {
      const value = said(name);
      return typeof value === "number" ? value : undefined;
    },
    flag: (name) => {
      const value = said(name);
      return typeof value === "boolean" ? value : undefined;
    },
    text: (name) => {
      const value = said(name);
      return typeof value === "string" ? value : undefined;
    },
    spanOf: (name) =>
      readerOf(stage) === "megatron"
        ? stage.rawMegatronSpans.get(rawEntry(stage.rawMegatron, name)?.key ?? "")
        : stage.rawSpans.get(name),
  };
}

const groups: ReadonlySet<string> = new Set(["log", "checkpoint"]);

/** Does the file leave a property, or one of its block or choice, as the language has it? */
function isDefault(block: Instance, path: string): boolean {
  const [name = "", parameter] = path.split(".");
  if (parameter === undefined) return valued(block, name).origin.kind === "default";
  if (groups.has(name)) {
    const group = block.blocks.get(name);
    return group === undefined || valued(group, parameter).origin.kind === "default";
  }
  const choice = choiceAt(block, name);
  const inner = choice?.arguments.get("others")?.value;
  const given =
    choice?.arguments.get(parameter) ?? (inner?.kind === "choice" ? inner.arguments.get(parameter) : undefined);
  return given === undefined || given.origin.kind === "default";
}

function precisionOf(
  { precision }: Stage,
  spanOf: Words["spanOf"],
  ways: readonly (readonly [isSaid: boolean, value: Precision, name: string])[],
): Partial<Stage> {
  const [, value, name = ""] = ways.find(([isSaid]) => isSaid) ?? [];
  if (value === undefined) return {};
  const span = spanOf(name);
  return {
    precision:
      span === undefined
        ? { ...precision, value }
        : { value, span, origin: { kind: "written", span, layer: "file" } },
  };
}

function changed(reading: (optimizer: OptimizerSpec, words: Words) => Partial<OptimizerSpec>): Reading {
  return ({ optimizer }, words) => ({ optimizer: { ...optimizer, ...reading(optimizer, words) } });
}

function rated(reading: (schedule: ScheduleSpec, words: Words) => Partial<ScheduleSpec>): Reading {
  return ({ schedule }, words) => ({ schedule: { ...schedule, ...reading(schedule, words) } });
}

const steps = (value: number | undefined): { unit: "steps"; value: number } | undefined =>
  value === undefined || !Number.isInteger(value) || value < 0 ? undefined : { unit: "steps", value };

/** 0 switches clipping off. */
const limit = (said: number | undefined, before: number | null): number | null =>
  said === undefined ? before : said === 0 ? null : said;
