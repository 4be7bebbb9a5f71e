/** Small pipelines for tests of the passes behind the language. */
import type { ClusterSpec, Given, ModelRequest, Pipeline, Scalar, StageStep } from "../../compiler/pipeline.ts";
import { devices } from "../../compiler/hardware/index.ts";
import type { Span } from "../../dsl/source/source.ts";

export const span: Span = { source: { path: "main.cdr", text: "" }, start: 0, end: 0 };

export function given<T>(value: T): Given<T> {
  return { value, span, origin: { kind: "written", span, layer: "file" } };
}

export function settings(values: Readonly<Record<string, Scalar>> = {}): ModelRequest["given"] {
  return new Map(Object.entries(values).map(([name, value]) => [name, given(value)]));
}

export function modelRequest(
  family: ModelRequest["family"]["value"],
  values: Readonly<Record<string, Scalar>> = {},
  rest: Partial<ModelRequest> = {},
): ModelRequest {
  return {
    name: "tiny",
    span,
    family: given(family),
    size: null,
    tokenizerVocab: null,
    given: settings(values),
    bounds: new Map(),
    ...rest,
  };
}

export function sizeOf(target: number, within = 0.01): ModelRequest["size"] {
  return { which: "total", target, within, span };
}

export function device(name: string): ClusterSpec["device"] {
  const found = devices.get(name);
  if (found === undefined) throw new Error(`no device ${name}`);
  return found;
}

export function cluster(rest: Partial<ClusterSpec> = {}): ClusterSpec {
  return {
    name: "pod",
    span,
    device: device("h100_sxm"),
    nodes: 1,
    gpusPerNode: 8,
    ram: null,
    cores: null,
    link: 450e9,
    network: 400e9,
    price: 2,
    ...rest,
  };
}

export function stage(model: ModelRequest, rest: Partial<StageStep> = {}): StageStep {
  return {
    kind: "stage",
    name: "pretrain",
    span,
    needs: ["corpus"],
    model,
    data: "corpus",
    from: null,
    engine: null,
    sharding: { over: null, quantize: null, nvme: null },
    megatron: { version: null, root: null, program: null, python: null },
    sequence: given(1024),
    length: given({ unit: "steps", value: 1000 } as const),
    batch: given({ unit: "samples", value: 512 } as const),
    optimizer: { name: "adamw", lr: 6e-4, betas: [0.9, 0.95], eps: 1e-8, weightDecay: 0.1, span },
    schedule: {
      name: "cosine",
      warmup: { unit: "steps", value: 100 },
      cooldown: { unit: "steps", value: 0 },
      to: 0.1,
      span,
    },
    clip: 1,
    precision: given("bf16"),
    seed: 1,
    determinism: "default",
    attention: "sdpa",
    compile: false,
    resume: "exact",
    layout: { given: new Map(), bounds: new Map() },
    eval: null,
    log: { every: { unit: "steps", value: 10 } },
    checkpoint: null,
    root: "runs",
    track: ["console"],
    expectations: [],
    limits: { given: new Map(), bounds: new Map() },
    raw: {},
    rawSpans: new Map(),
    rawMegatron: {},
    rawMegatronSpans: new Map(),
    ...rest,
  };
}

export function pipeline(step: StageStep, on: ClusterSpec = cluster()): Pipeline {
  return {
    steps: [step],
    launch: {
      name: "local",
      span: on.span,
      spans: new Map(),
      cluster: on,
      target: { kind: "local", grace: 30 },
      env: {},
    },
  };
}
