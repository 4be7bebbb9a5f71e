import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/instance.ts";
import type { ClusterSpec, EngineName, Precision, StageStep } from "../../pipeline.ts";
import { checkAttention } from "./attention-checks.ts";
import { batchOf } from "./batch.ts";
import { optimizerOf, scheduleOf } from "./course.ts";
import { megatronOf, shardingOf } from "./engine-options.ts";
import { expectationsOf } from "./expectations.ts";
import { handleAt } from "./handle.ts";
import { layoutOf } from "./layout.ts";
import { lengthOf } from "./length.ts";
import { modelRequest, sizeSaidTwice } from "./model.ts";
import { rawBlock } from "./raw-block.ts";
import { blockAt, boolAt, choiceAt, given, group, numberAt, settingsOf, textAt, valued } from "./read.ts";
import { tokenizerConfig } from "./tokenizer.ts";
import { tunedBatch } from "./tuned-batch.ts";
import { narrowOf, tuningOf } from "./tuning.ts";
import { upkeepOf } from "./upkeep.ts";

type Report = (diagnostic: Diagnostic) => void;

/** `null` where something a stage cannot be without is missing or wrong; that was reported. */
export function stageStep(block: Instance, cluster: ClusterSpec, report: Report): StageStep | null {
  const expectations = expectationsOf(block);
  const data = blockAt(block, "data");
  const modelBlock = blockAt(block, "model");
  const optimizer = optimizerOf(block);
  const batch = valued(block, "batch");
  if (data === null || modelBlock === null || optimizer === null || batch.value.kind === "unknown") return null;
  const length = lengthOf(block, report);
  if (length === null) return null;
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
  const precision = valued(block, "precision");
  const engine = choiceAt(block, "engine");
  const narrow = narrowOf(block);
  const tuning = tuningOf(block);
  const deepspeed = rawBlock(block, "deepspeed");
  const megatron = rawBlock(block, "megatron");
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
    length,
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
    ...layoutOf(group(block, "layout"), megatron.said, megatron.spans, report),
    ...upkeepOf(block, report),
    expectations,
    limits: settingsOf(block, ["cost", "time"]),
    raw: deepspeed.said,
    rawSpans: deepspeed.spans,
    rawMegatron: megatron.said,
    rawMegatronSpans: megatron.spans,
  };
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
