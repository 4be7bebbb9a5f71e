/** nanotron and GPT-NeoX. */
import { inFile, type LaunchCase } from "./case.ts";

const nanotron = inFile(
  "nano.yaml",
  (more) => `general:\n  project: p\n  run: r\nparallelism:\n  dp: 1\n  pp: 1\n  tp: 1\n${more}`,
);
const neox = inFile(
  "neox.yaml",
  (more) => `pipe-parallel-size: 1\nmodel-parallel-size: 2\ntrain_micro_batch_size_per_gpu: 4\n${more}`,
);
const experts = (more: string): string => `model:\n  model_config:\n    moe_config:\n      num_experts: 4\n${more}`;
const every = "checkpoint-factor: 100\n";

export const otherCases: readonly LaunchCase[] = [
  nanotron("O013 experts", experts("      top_k: 8\n"), experts("      top_k: 4\n")),
  nanotron(
    "O013 dispatcher",
    experts("      token_dispatcher_type: flex\n"),
    experts("      token_dispatcher_type: alltoall\n"),
  ),
  nanotron(
    "O016",
    "  context_parallel_size: 3\ntokens:\n  sequence_length: 4096\n",
    "  context_parallel_size: 4\ntokens:\n  sequence_length: 4096\n",
  ),
  neox(
    "O022 heads",
    `${every}num-attention-heads: 12\nnum-kv-heads: 8\n`,
    `${every}num-attention-heads: 12\nnum-kv-heads: 6\n`,
  ),
  neox(
    "O022 ranks",
    `${every}num-attention-heads: 12\nnum-kv-heads: 3\n`,
    `${every}num-attention-heads: 12\nnum-kv-heads: 4\n`,
  ),
  neox(
    "O022 sparse",
    `${every}num-layers: 2\nnum-attention-heads: 12\nnum-kv-heads: 4\nattention-config: [[["local"], 2]]\n`,
    `${every}num-layers: 2\nnum-attention-heads: 12\nnum-kv-heads: 4\nattention-config: [[["flash"], 2]]\n`,
  ),
  neox(
    "O023 width",
    `${every}hidden-size: 100\nnum-attention-heads: 12\n`,
    `${every}hidden-size: 96\nnum-attention-heads: 12\n`,
  ),
  neox(
    "O023 positions",
    `${every}max-position-embeddings: 1024\nseq-length: 2048\n`,
    `${every}max-position-embeddings: 2048\nseq-length: 2048\n`,
  ),
  neox(
    "O023 rate",
    `${every}min-lr: 0.01\noptimizer:\n  type: Adam\n  params:\n    lr: 0.001\n`,
    `${every}min-lr: 0.0001\noptimizer:\n  type: Adam\n  params:\n    lr: 0.001\n`,
  ),
  neox("O023 interval", "num-layers: 12\nsave: out\n", `num-layers: 12\nsave: out\n${every}`),
];
