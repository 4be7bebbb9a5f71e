import { expect, test } from "vitest";
import { caseOf } from "../../bench/prediction/cases.ts";
import { peakOf } from "../../bench/prediction/estimates.ts";
import { constantsOf } from "../../compiler/planner/physics/constants/index.ts";

const base = {
  "num-layers": 12,
  "hidden-size": 512,
  "num-attention-heads": 8,
  "micro-batch-size": 4,
  "global-batch-size": 32,
  "seq-length": 1024,
  "max-position-embeddings": 1024,
  "transformer-impl": "transformer_engine",
  "deterministic-mode": true,
  bf16: true,
};

/** Largest allocation of the last rank, as Megatron-LM's functional tests record it (commit d98e8a64). */
test.each([
  ["interleaved, scores in memory", "A100", 4_122_704_384, { "attention-backend": "unfused", pp: 4, vp: 1 }],
  [
    "embedding and loss in place of layers",
    "H100",
    2_841_169_408,
    {
      "num-layers": 6,
      "num-virtual-stages-per-pipeline-rank": 2,
      "untie-embeddings-and-output-weights": true,
      "attention-backend": "unfused",
      pp: 4,
    },
  ],
  ["rotary positions, cuDNN's attention", "H100", 2_599_286_784, { "position-embedding-type": "rope", pp: 2 }],
  [
    "the optimizer shared by half of the ranks, FlashAttention",
    "GB200",
    1_708_441_088,
    { "use-distributed-optimizer": true, "num-distributed-optimizer-instances": 2, tp: 2 },
  ],
  [
    "fp16 without Transformer Engine",
    "A100",
    2_675_191_296,
    { "transformer-impl": "local", bf16: false, fp16: true, pp: 4 },
  ],
  [
    "the jitted loss, any order of sums",
    "H100",
    1_837_607_424,
    { "cross-entropy-loss-fusion": true, "deterministic-mode": false, tp: 2, pp: 2 },
  ],
  [
    "shared sequences, the workspaces that torch takes on Blackwell",
    "GB200",
    938_399_232,
    {
      "context-parallel-size": 2,
      "sequence-parallel": true,
      "hidden-dropout": 0,
      "attention-backend": "flash",
      "deterministic-mode": false,
      tp: 2,
      pp: 2,
    },
  ],
] as const)("%s: within one percent", (_, gpu, bytes, { tp, pp, vp, ...changes }: Changes) => {
  const args = {
    ...base,
    ...changes,
    "tensor-model-parallel-size": tp ?? 1,
    "pipeline-model-parallel-size": pp ?? 1,
    ...(vp === undefined ? {} : { "num-layers-per-virtual-pipeline-stage": vp }),
  };
  const found = caseOf({
    id: "mlm-golden-gpt-gpt3-case",
    model: { family: "megatron functional test gpt" },
    hardware: { gpu, gpus: 8, nodes: null },
    parallel: {},
    batch: {},
    engine: "Megatron-LM functional test (dev)",
    measured: { peak_mem_bytes: bytes },
    args,
    quality: "A",
  });
  if (typeof found === "string") throw new Error(found);
  const { logged } = peakOf(found, constantsOf(found.engine.name, found.machine.gpu));
  expect(Math.abs(logged / bytes - 1)).toBeLessThan(0.01);
});

interface Changes extends Readonly<Record<string, unknown>> {
  readonly tp?: number;
  readonly pp?: number;
  readonly vp?: number;
}
