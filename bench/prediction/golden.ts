/** Megatron-LM's functional tests: argument sets with the allocator's exact bytes on the last rank. */
import { machineNamed } from "../../compiler/planner/physics/constants/machines.ts";
import { functional, type Libraries, type Options } from "../../compiler/planner/physics/engines/megatron.ts";
import type { Case } from "./cases.ts";
import { shapeOf } from "./published.ts";
import type { Row } from "./rows.ts";

/** Programs other than plain pretraining of GPT allocate what no argument states. */
const other = [
  "encoder-num-layers",
  "bert-no-binary-head",
  "hybrid-layer-pattern",
  "perform-rl-step",
  "img-h",
  "spec",
  "use-megatron-fsdp",
  "mtp-num-layers",
  "optimizer-cpu-offload",
  "moe-layer-freq",
  "fp8-format",
  "inference-max-seq-length",
  "multi-latent-attention",
  "pipeline-model-parallel-layout",
];

/** Their environment sets `CUBLAS_WORKSPACE_CONFIG` though no argument asks for determinism. */
const reserved = /cp2_pp2_ep2_te_4experts2parallel_nondeterministic|fine_grained_offloading/;

export function goldenCase(row: Row): Case | string {
  const { args } = row;
  const bytes = row.measured["peak_mem_bytes"];
  const machine = row.hardware.gpu === null ? undefined : machineNamed(row.hardware.gpu);
  if (args === undefined || typeof bytes !== "number") return "no bytes";
  if (machine === undefined) return "no figures of an unnamed GPU";
  const found = other.find((name) => name in args);
  if (found !== undefined || (!row.id.includes("-gpt-gpt3") && !row.id.includes("-moe-gpt3"))) {
    return `Megatron's functional tests beside plain GPT (${found ?? row.id.split("-")[2] ?? ""})`;
  }
  const number = (name: string, otherwise: number): number => (name in args ? Number(args[name]) : otherwise);
  const on = (name: string): boolean => args[name] === true;
  const [tensor, pipeline] = [number("tensor-model-parallel-size", 1), number("pipeline-model-parallel-size", 1)];
  const context = number("context-parallel-size", 1);
  const expert = number("expert-model-parallel-size", 1);
  const hidden = number("hidden-size", 0);
  const heads = number("num-attention-heads", 1);
  const layers = number("num-layers", 0);
  const gated = on("swiglu");
  const ffn = number("ffn-hidden-size", gated ? 64 * Math.floor((4 * hidden * 2) / 3 / 64) : 4 * hidden);
  const experts = number("num-experts", 0);
  const gpus = row.hardware.gpus ?? 8;
  const data = gpus / (tensor * pipeline * context);
  const micro = number("micro-batch-size", 1);
  const count = number("global-batch-size", 1) / micro / data;
  if (layers === 0 || !Number.isInteger(data) || !(count >= 1)) return "the layout is not stated";
  const perChunk = number("num-layers-per-virtual-pipeline-stage", 0);
  const chunks = perChunk > 0 ? layers / pipeline / perChunk : number("num-virtual-stages-per-pipeline-rank", 1);
  const [first, last] = [
    number("decoder-first-pipeline-num-layers", 0),
    number("decoder-last-pipeline-num-layers", 0),
  ];
  const between = (layers - first - last) / (pipeline - 2);
  const stages = Array.from({ length: pipeline }, (_, i) => (i === 0 ? first : i === pipeline - 1 ? last : between));
  const instances = number("num-distributed-optimizer-instances", 1);
  const turn = number("microbatch-group-size-per-virtual-pipeline-stage", pipeline);
  const dropout = number("hidden-dropout", 0.1) > 0;
  const generation = machine.gpu.startsWith("A") ? "ampere" : machine.gpu.startsWith("H") ? "hopper" : "blackwell";
  const libraries = {
    generation,
    deterministic: on("deterministic-mode") || reserved.test(row.id),
    transformer_engine: args["transformer-impl"] !== "local",
    grouped: on("moe-grouped-gemm"),
  } as const;
  const engine = functional({
    fp16: on("fp16"),
    dropout,
    core: coreOf(row, args, libraries),
    loss: !on("cross-entropy-loss-fusion")
      ? "plain"
      : args["cross-entropy-fusion-impl"] === "te"
        ? "in-place"
        : "jitted",
    deferred: on("defer-embedding-wgrad-compute") ? number("wgrad-deferral-limit", 0) || count : 0,
    mask: !on("no-create-attention-mask-in-dataloader"),
    libraries,
  });
  return {
    row,
    engine,
    machine,
    shape: {
      ...shapeOf({
        layers,
        hidden,
        heads,
        kv: number("num-query-groups", heads),
        head_dim: number("kv-channels", hidden / heads),
        ffn,
        gated,
        vocab: number("vocab-size", 50_257),
        tied: !on("untie-embeddings-and-output-weights"),
        positions: args["position-embedding-type"] === undefined ? number("max-position-embeddings", 0) : 0,
        ...(experts > 0
          ? {
              experts: [
                experts,
                number("moe-router-topk", 2),
                number("moe-ffn-hidden-size", ffn),
                number("moe-shared-expert-intermediate-size", 0),
                0,
              ] as const,
            }
          : {}),
      }),
      bias: !on("disable-bias-linear"),
      qk_norm: on("qk-layernorm"),
      dropout,
    },
    layout: {
      tensor,
      pipeline,
      chunks,
      ...(turn === pipeline ? {} : { turn }),
      ...(layers % (pipeline * chunks) !== 0 && (layers + 2) % (pipeline * chunks) === 0
        ? { ends: { embedding: 1, loss: 1 } }
        : {}),
      ...(first > 0 && last > 0 && pipeline > 2 ? { stages } : {}),
      ...(instances > 1 ? { shard: (data * context) / instances } : {}),
      context,
      expert,
      expert_tensor: number("expert-tensor-parallel-size", tensor),
      data,
      sequence_parallel: on("sequence-parallel"),
      zero: on("use-distributed-optimizer") ? 1 : 0,
      schedule: "1f1b",
      recompute: args["recompute-granularity"] === "full" ? "full" : "none",
      offload: "none",
    },
    batch: { micro, count, sequence: number("seq-length", 1) },
    memory: bytes,
    logger: "last",
  };
}

/**
 * Transformer Engine picks cuDNN's attention on Hopper and on Blackwell, there unless runs have to be deterministic;
 * elsewhere FlashAttention. The container of the long-term support of 2025, which ran on one cluster only, had neither.
 */
function coreOf(row: Row, args: Readonly<Record<string, unknown>>, libraries: Libraries): Options["core"] {
  const backend = args["attention-backend"];
  const scores = args["no-masked-softmax-fusion"] === true ? "wide-scores" : "scores";
  if (backend === "unfused" || backend === "local" || !libraries.transformer_engine) return scores;
  if (backend === "flash") return "flash";
  if (row.engine.includes("lts") && row.id.includes("dracooci")) return scores;
  if (libraries.generation === "hopper") return "cudnn";
  return libraries.generation === "blackwell" && !libraries.deterministic ? "cudnn" : "flash";
}
