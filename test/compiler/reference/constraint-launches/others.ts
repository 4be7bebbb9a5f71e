/** torchtitan, nanotron and GPT-NeoX. */
import { inFile, type LaunchCase } from "./case.ts";

const nanotron = inFile(
  "nano.yaml",
  (more) => `general:\n  project: p\n  run: r\nparallelism:\n  dp: 1\n  pp: 1\n  tp: 1\n${more}`,
);
const neox = inFile(
  "neox.yaml",
  (more) => `pipe-parallel-size: 1\nmodel-parallel-size: 2\ntrain_micro_batch_size_per_gpu: 4\n${more}`,
);
const titan = inFile("titan.toml", (more) => `[model]\nname = "llama3"\nflavor = "8B"\n[parallelism]\n${more}`);
const stages = (ranks: number, more: string): string => `pipeline_parallel_degree = ${ranks}\n${more}`;
const each = (layers: number): string => `pipeline_parallel_layers_per_stage = ${layers}\n`;
const scheduled = (name: string): string => `pipeline_parallel_schedule = "${name}"\n`;
const experts = (more: string): string => `model:\n  model_config:\n    moe_config:\n      num_experts: 4\n${more}`;
const every = "checkpoint-factor: 100\n";

export const otherCases: readonly LaunchCase[] = [
  titan("O003 ranks", stages(8, each(3)), stages(6, each(6))),
  titan("O003 single", stages(2, each(9)), stages(2, each(17))),
  titan(
    "O003 several",
    stages(2, each(17) + scheduled("Interleaved1F1B")),
    stages(2, each(9) + scheduled("Interleaved1F1B")),
  ),
  titan("O003 folded", stages(2, each(5) + scheduled("DualPipeV")), stages(2, each(9) + scheduled("DualPipeV"))),
  titan("O004 stages", stages(64, ""), stages(32, "")),
  titan(
    "O004 weights",
    stages(16, "pipeline_parallel_last_stage_less_layers = 4\n"),
    stages(8, "pipeline_parallel_last_stage_less_layers = 4\n"),
  ),
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
