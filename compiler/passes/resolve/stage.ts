import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement, suggest } from "../../../dsl/diagnostics/suggest.ts";
import { heldGroup } from "../../../dsl/eval/implied.ts";
import type { Instance } from "../../../dsl/eval/instance.ts";
import { none, show, type ChoiceValue, type Value } from "../../../dsl/types/value.ts";
import { checkAttention } from "./attention-checks.ts";
import { batchOf } from "./batch.ts";
import { tunedBatch } from "./tuned-batch.ts";
import { documentOf } from "./document-of.ts";
import { expectationsOf, textIn } from "./expectations.ts";
import { bestUnmeasured, checkpointMetric, lengthFraction } from "../../diagnostics/pipeline.ts";
import { emaMissing } from "../../diagnostics/stage.ts";
import type {
  ClusterSpec,
  EngineName,
  Handle,
  OptimizerSpec,
  Period,
  Precision,
  ScheduleSpec,
  StageStep,
} from "../../pipeline.ts";
import { modelRequest, sizeSaidTwice } from "./model.ts";
import { layoutOf } from "./layout.ts";
import {
  argument,
  blockAt,
  boolAt,
  choiceAt,
  given,
  group,
  numberAt,
  numberOf,
  settingsOf,
  textAt,
  textOf,
  textsOf,
  unitOf,
  valued,
} from "./read.ts";
import { tokenizerConfig } from "./tokenizer.ts";
import { narrowOf, tuningOf } from "./tuning.ts";

type Report = (diagnostic: Diagnostic) => void;

/** `null` where something a stage cannot be without is missing or wrong; that was reported. */
export function stageStep(block: Instance, cluster: ClusterSpec, report: Report): StageStep | null {
  const expectations = expectationsOf(block);
  const data = blockAt(block, "data");
  const modelBlock = blockAt(block, "model");
  const optimizer = optimizerOf(block);
  const length = valued(block, "length");
  const batch = valued(block, "batch");
  const lengthUnit = unitOf(length.value);
  if (
    data === null ||
    modelBlock === null ||
    optimizer === null ||
    length.value.kind !== "number" ||
    batch.value.kind === "unknown"
  )
    return null;
  const isWhole = lengthUnit !== "step" || Number.isInteger(length.value.value);
  if (!Number.isFinite(length.value.value) || !isWhole) {
    const { value } = length.value;
    const whole = Math.max(1, Math.round(value));
    const fixes =
      Number.isFinite(value) && length.origin.kind === "written"
        ? [replacement(length.span, `${whole} step${whole === 1 ? "" : "s"}`)]
        : [];
    report(lengthFraction(length.span, { length: show(length.value) }, { fixes }));
    return null;
  }
  const { vocab: ids } = tokenizerConfig(data);
  const vocab = ids === null ? null : given(ids, valued(data, "tokenizer"));
  const twice = sizeSaidTwice(modelBlock);
  if (twice !== null) report(twice);
  const model = modelRequest(modelBlock, vocab);
  if (model === null) return null;
  const tuned = tunedBatch(block, modelBlock, cluster);
  if (tuned !== null) {
    report(tuned);
    return null;
  }
  const name = block.name ?? "stage";
  const from = handleAt(block, "from", report);
  const evaluation = group(block, "eval");
  const log = heldGroup(block, "log");
  const precision = valued(block, "precision");
  const engine = choiceAt(block, "engine");
  const narrow = narrowOf(block);
  const tuning = tuningOf(block);
  const checkpoint = heldGroup(block, "checkpoint");
  const raw = block.blocks.get("deepspeed");
  const megatron = block.blocks.get("megatron");
  const layout = group(block, "layout");
  const sequence = sequenceOf(block, modelBlock, data);
  const ownPrecision: StageStep["precision"] =
    precision.value.kind === "choice"
      ? given(precision.value.name as Precision, precision)
      : {
          value: cluster.device.kind === "gpu" && cluster.device.flops.bf16 > 0 ? "bf16" : "fp32",
          span: block.span,
          origin: { kind: "default", by: `a ${cluster.device.kind.toUpperCase()}` },
        };
  checkAttention(block, ownPrecision.value, cluster, report);
  return {
    kind: "stage",
    name,
    span: block.span,
    needs: [data.name ?? "data", ...(from === null ? [] : [from.step])],
    model,
    data: data.name ?? "data",
    from,
    engine: engine === null ? null : given(engine.name as EngineName, valued(block, "engine")),
    sharding: shardingOf(engine),
    megatron: megatronOf(engine),
    sequence,
    length: given(
      {
        unit:
          lengthUnit === "token"
            ? "tokens"
            : lengthUnit === "sample"
              ? "samples"
              : lengthUnit === "epoch"
                ? "epochs"
                : "steps",
        value: length.value.value,
      },
      length,
    ),
    ...batchOf(block, batch, sequence.value),
    optimizer,
    schedule: scheduleOf(block),
    clip: numberAt(block, "clip"),
    precision: ownPrecision,
    ...(narrow === null ? {} : { narrow }),
    ...(tuning === null ? {} : { tuning }),
    seed: numberAt(block, "seed") ?? 42,
    determinism: textAt(block, "determinism") === "bitwise" ? "bitwise" : "default",
    attention:
      choiceAt(block, "attention")?.name === "flash"
        ? "flash_attention_2"
        : choiceAt(block, "attention")?.name === "eager"
          ? "eager"
          : "sdpa",
    compile: boolAt(block, "compile") ?? false,
    resume: (textAt(block, "resume") ?? "exact") as "exact",
    ...layoutOf(layout, megatron === undefined ? {} : documentOf(megatron), spansIn(megatron), report),
    eval:
      evaluation === null
        ? null
        : { every: periodOf(valued(evaluation, "every").value), batches: batchesOf(evaluation, block) },
    log: { every: periodOf(log === null ? none : valued(log, "every").value) },
    checkpoint:
      checkpoint === null
        ? null
        : { every: maybePeriod(valued(checkpoint, "every").value), ...retention(checkpoint, block, report) },
    root: (checkpoint === null ? null : textAt(checkpoint, "to")) ?? "runs",
    track: trackersOf(block),
    expectations,
    limits: settingsOf(block, ["cost", "time"]),
    raw: raw === undefined ? {} : documentOf(raw),
    rawSpans: spansIn(raw),
    rawMegatron: megatron === undefined ? {} : documentOf(megatron),
    rawMegatronSpans: spansIn(megatron),
  };
}

/** Where each key of a raw block was written, those of its sections by dotted paths. */
function spansIn(raw: Instance | undefined, prefix = ""): StageStep["rawSpans"] {
  return new Map([
    ...[...(raw?.values ?? [])].map(([key, entry]) => [`${prefix}${key}`, entry.nameSpan] as const),
    ...[...(raw?.blocks ?? [])].flatMap(([key, group]) => [
      [`${prefix}${key}`, group.span] as const,
      ...spansIn(group, `${prefix}${key}.`),
    ]),
  ]);
}

function shardingOf(engine: ChoiceValue | null): StageStep["sharding"] {
  const [over, quantize, nvme] = ["shard_over", "quantize", "nvme"].map((name) => engine?.arguments.get(name));
  const ranks = numberOf(over?.value);
  const folder = textOf(nvme?.value);
  const parts = textsOf(quantize?.value) as ("weights" | "gradients")[];
  return {
    over: over === undefined || ranks === null ? null : given(ranks, over),
    quantize: quantize === undefined || parts.length === 0 ? null : given(parts, quantize),
    nvme: nvme === undefined || folder === null ? null : given(folder, nvme),
  };
}

function megatronOf(engine: ChoiceValue | null): StageStep["megatron"] {
  const version = engine?.arguments.get("version");
  const text = textOf(version?.value);
  const entry = engine?.arguments.get("entry");
  return {
    version: version === undefined || text === null ? null : given(text, version),
    ...(entry === undefined || textOf(entry.value) !== "bridge" ? {} : { entry: given("bridge", entry) }),
    root: engine === null ? null : textOf(argument(engine, "root")),
    program: engine === null ? null : textOf(argument(engine, "program")),
    python: engine === null ? null : textOf(argument(engine, "python")),
  };
}

/** The checkpoint that a property names. The best one is known only where its stage measures the validation loss. */
export function handleAt(block: Instance, name: string, report: Report): Handle | null {
  const { value, span } = valued(block, name);
  if (value.kind !== "handle") return null;
  const { block: maker, which } = value;
  const step = maker.name ?? maker.kind.name;
  if (which === "best" && maker.kind.name === "stage" && group(maker, "eval") === null) {
    const fixes = [replacement(span, `${step}.last`)];
    report(bestUnmeasured(span, { stage: step, what: `${step}.best` }, { fixes }));
  }
  if (which === "mean" && group(maker, "ema") === null) report(emaMissing(span, { stage: step }));
  return { step, which: which as Handle["which"], span: block.span };
}

/** The stage's own context, the data's, or the model's. */
function sequenceOf(stage: Instance, model: Instance, data: Instance): StageStep["sequence"] {
  for (const [block, name] of [
    [stage, "context"],
    [data, "sequence"],
    [model, "context"],
  ] as const) {
    const value = valued(block, name);
    if (value.value.kind === "number") return given(value.value.value, value);
  }
  return { value: 1024, span: model.span, origin: { kind: "default", by: "the model family's context" } };
}

function optimizerOf(block: Instance): OptimizerSpec | null {
  const choice = choiceAt(block, "optimizer");
  if (choice === null) return null;
  // A plugin may keep its rate to itself.
  const lr = numberOf(argument(choice, "lr")) ?? (choice.declared === undefined ? null : 0);
  if (lr === null) return null;
  const betas = argument(choice, "betas");
  const [first, second] = betas?.kind === "list" ? betas.items.map((item) => numberOf(item.value)) : [];
  return {
    name: choice.name,
    lr,
    betas: [first ?? 0.9, second ?? 0.95],
    eps: numberOf(argument(choice, "eps")) ?? 1e-8,
    weightDecay: numberOf(argument(choice, "weight_decay")) ?? 0,
    ...(choice.name === "sgd" ? { momentum: numberOf(argument(choice, "momentum")) ?? 0 } : {}),
    span: valued(block, "optimizer").span,
  };
}

function scheduleOf(block: Instance): ScheduleSpec {
  const choice = choiceAt(block, "schedule");
  const stretch = (name: string): ScheduleSpec["warmup"] => {
    const value = choice === null ? undefined : argument(choice, name);
    const unit = unitOf(value);
    return {
      unit: unit === "step" ? "steps" : unit === "token" ? "tokens" : "fraction",
      value: numberOf(value) ?? 0,
    };
  };
  return {
    name: choice?.name ?? "constant",
    warmup: stretch("warmup"),
    cooldown: stretch("cooldown"),
    to: choice === null ? 1 : (numberOf(argument(choice, "to")) ?? 0),
    span: valued(block, "schedule").span,
  };
}

const periodOf = (value: Value): Period => maybePeriod(value) ?? { unit: "steps", value: 1 };

function maybePeriod(value: Value): Period | null {
  if (value.kind !== "number") return null;
  const unit = unitOf(value);
  return { unit: unit === "token" ? "tokens" : unit === "second" ? "seconds" : "steps", value: value.value };
}

function batchesOf(evaluation: Instance, stage: Instance): number | null {
  const length = valued(evaluation, "length").value;
  if (length.kind !== "number") return null;
  if (unitOf(length) === "batch") return length.value;
  const layout = group(stage, "layout");
  return Math.ceil(length.value / ((layout === null ? null : numberAt(layout, "micro_batch")) ?? 1));
}

function retention(
  checkpoint: Instance,
  stage: Instance,
  report: Report,
): { keepLast: number | null; keepBest: "val_loss" | null } {
  const keep = valued(checkpoint, "keep").value;
  if (keep.kind === "number") return { keepLast: keep.value, keepBest: null };
  if (keep.kind !== "list") return { keepLast: null, keepBest: null };
  const rules = keep.items.flatMap((item) =>
    item.value.kind === "choice" ? [{ rule: item.value, span: item.span }] : [],
  );
  const last = rules.find(({ rule }) => rule.name === "last");
  const best = rules.filter(({ rule }) => rule.name === "best");
  for (const { rule, span } of best) {
    const metric = rule.arguments.get("metric");
    if (metric === undefined || metric.value.kind === "unknown") continue;
    const written = textIn(metric.value.kind === "formula" ? metric.value.expression : metric);
    if (written !== "val.loss") {
      report(checkpointMetric(metric.span, { written }, suggest(metric.span, written, ["val.loss"])));
    } else if (group(stage, "eval") === null) {
      report(bestUnmeasured(span, { stage: stage.name ?? "stage", what: `best(${written})` }));
    }
  }
  return {
    keepLast: last === undefined ? 1 : numberOf(argument(last.rule, "count")),
    keepBest: best.length > 0 ? "val_loss" : null,
  };
}

function trackersOf(block: Instance): StageStep["track"] {
  const track = valued(block, "track").value;
  if (track.kind !== "list") return ["console"];
  return track.items.flatMap((item) => (item.value.kind === "choice" ? [item.value.name as "console"] : []));
}
