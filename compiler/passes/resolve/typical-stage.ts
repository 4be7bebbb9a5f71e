/**
 * A stage as its model's size is decided: what it says of its engine, its precision and its sequences, and a batch by the law. All else of it may
 * follow from the size.
 */
import type { Instance } from "../../../dsl/eval/instance.ts";
import type { ClusterSpec, EngineName, Given, ModelRequest, Precision, StageStep } from "../../pipeline.ts";
import { choiceAt, given, numberOf, valued } from "./read.ts";

const nothing = { given: new Map(), bounds: new Map() };

/** `tokens`: what it will be trained on. */
export function typicalStage(
  stage: Instance,
  model: Instance,
  request: ModelRequest,
  cluster: ClusterSpec,
  tokens: number,
): StageStep {
  const { span } = stage;
  const usual = <T>(value: T): Given<T> => ({ value, span, origin: { kind: "default", by: "cdrc" } });
  const engine = choiceAt(stage, "engine");
  const precision = choiceAt(stage, "precision");
  const wide = cluster.device.kind === "gpu" && cluster.device.flops.bf16 > 0 ? "bf16" : "fp32";
  const sequence = [stage, model].flatMap((block) => numberOf(valued(block, "context").value) ?? [])[0] ?? 1024;
  return {
    kind: "stage",
    name: stage.name ?? "stage",
    span,
    needs: [],
    model: request,
    data: "data",
    from: null,
    engine: engine === null ? null : given(engine.name as EngineName, valued(stage, "engine")),
    sharding: { over: null, quantize: null, nvme: null },
    megatron: { version: null, root: null, program: null, python: null },
    sequence: usual(sequence),
    length: usual({ unit: "tokens", value: tokens }),
    batch: usual({ unit: "auto", value: 0 }),
    optimizer: { name: "adamw", lr: 0, betas: [0.9, 0.95], eps: 1e-8, weightDecay: 0, span },
    schedule: {
      name: "constant",
      warmup: { unit: "steps", value: 0 },
      cooldown: { unit: "steps", value: 0 },
      to: 1,
      span,
    },
    clip: null,
    precision: usual(precision === null ? wide : (precision.name as Precision)),
    seed: 0,
    determinism: "default",
    attention: "sdpa",
    compile: false,
    resume: "exact",
    layout: nothing,
    eval: null,
    log: { every: { unit: "steps", value: 1 } },
    checkpoint: null,
    root: "runs",
    track: [],
    expectations: [],
    limits: nothing,
    raw: {},
    rawSpans: new Map(),
    rawMegatron: {},
    rawMegatronSpans: new Map(),
  };
}
