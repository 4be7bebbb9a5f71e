/** What a stage says of itself but for how long it trains and what is expected of it. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Valued } from "../../../dsl/types/value.ts";
import { families } from "../../models/index.ts";
import type { ClusterSpec, EngineName, ModelRequest, OptimizerSpec, Precision, StageStep } from "../../pipeline.ts";
import { checkAttention } from "./attention-checks.ts";
import { batchOf } from "./batch.ts";
import { scheduleOf } from "./course.ts";
import { megatronOf, shardingOf } from "./engine-options.ts";
import { conversationsOf } from "./conversations.ts";
import { handleAt } from "./handle.ts";
import { publishedWeights } from "./hub.ts";
import { layoutOf } from "./layout.ts";
import { rawBlock } from "./raw-block.ts";
import { withRawDefaults } from "./raw-defaults.ts";
import { boolAt, choiceAt, given, group, numberAt, settingsOf, textAt, valued } from "./read.ts";
import { narrowOf, tuningOf } from "./tuning.ts";
import { upkeepOf } from "./upkeep.ts";
import { article } from "../../../dsl/diagnostics/article.ts";

type Report = (diagnostic: Diagnostic) => void;

interface Parts {
  readonly data: Instance;
  readonly model: Instance;
  readonly request: ModelRequest;
  readonly cluster: ClusterSpec;
  readonly optimizer: OptimizerSpec;
  readonly batch: Valued;
}

export function settled(
  block: Instance,
  { data, model, request, cluster, optimizer, batch }: Parts,
  report: Report,
): Omit<StageStep, "length" | "expectations"> {
  const name = block.name ?? "stage";
  const from = handleAt(block, "from", report) ?? handleAt(model, "from", report);
  const weights = from === null ? publishedWeights(model) : null;
  const precision = valued(block, "precision");
  const engine = choiceAt(block, "engine");
  const narrow = narrowOf(block);
  const tuning = tuningOf(block);
  const deepspeed = rawBlock(block, "deepspeed");
  const megatron = rawBlock(block, "megatron");
  const sequence = sequenceOf(block, model, data);
  const conversations = conversationsOf(block, data);
  const ownPrecision: StageStep["precision"] =
    precision.value.kind === "choice"
      ? given(precision.value.name as Precision, precision)
      : {
          value: cluster.device.kind === "gpu" && cluster.device.flops.bf16 > 0 ? "bf16" : "fp32",
          span: block.span,
          origin: { kind: "default", by: article(cluster.device.kind.toUpperCase()) },
        };
  checkAttention(block, ownPrecision.value, cluster, report);
  const stage: Omit<StageStep, "length" | "expectations"> = {
    kind: "stage",
    name,
    span: block.span,
    needs: [data.name ?? "data", ...(from === null ? [] : [from.step])],
    model: request,
    data: data.name ?? "data",
    ...(conversations === null ? {} : { conversations }),
    from,
    ...(weights === null ? {} : { weights }),
    engine: engine === null ? null : given(engine.name as EngineName, valued(block, "engine")),
    sharding: shardingOf(engine),
    megatron: megatronOf(engine),
    sequence,
    ...batchOf(block, batch, sequence.value),
    optimizer,
    schedule: scheduleOf(block),
    clip: numberAt(block, "clip"),
    clipSpan: valued(block, "clip").span,
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
    ...(textAt(block, "matmul") === "highest" ? { exactProducts: true } : {}),
    ...(group(block, "ema") === null ? {} : { averaged: true }),
    resume: (textAt(block, "resume") ?? "exact") as "exact",
    resumeSpan: valued(block, "resume").span,
    ...layoutOf(group(block, "layout"), megatron.said, megatron.spans, families[request.family.value], report),
    ...upkeepOf(block, report),
    limits: settingsOf(block, ["cost", "time"]),
    raw: deepspeed.said,
    rawSpans: deepspeed.spans,
    rawMegatron: megatron.said,
    rawMegatronSpans: megatron.spans,
  };
  const isRaw = [stage.raw, stage.rawMegatron].some((said) => Object.keys(said).length > 0);
  return isRaw ? withRawDefaults(stage, block) : stage;
}

/** The stage's own context, the data's, or the model's. */
export function sequenceOf(stage: Instance, model: Instance, data: Instance): StageStep["sequence"] {
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
