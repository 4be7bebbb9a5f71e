import { embedding, family, head, noAttention } from "./define.ts";
import { mamba as mixer, mamba2 as mixer2 } from "./layers/mamba.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { of, sourced } from "./rules.ts";

const paper = "Mamba (Gu and Dao 2023, arXiv 2312.00752), section 3.4";
const paper2 = "Mamba-2 (Dao and Gu 2024, arXiv 2405.21060), section 7";

const shared = {
  ...noAttention,
  d_ff: 0,
  gated: false,
  context: sourced(2048, "the length that its models were trained with; the recurrence has none"),
  tied: true,
} as const;
const keys = {
  hidden_size: "d_model",
  num_hidden_layers: "layers",
  layer_norm_epsilon: "norm_eps",
  use_bias: "bias",
  state_size: "ssm.state",
  conv_kernel: "ssm.conv",
} as const;
const among = { d_ff: [0], activation: ["silu"] } as const;

const ladder = [
  [24, 768, "Mamba 130M"],
  [48, 1024, "Mamba 370M"],
  [48, 1536, "Mamba 790M"],
  [48, 2048, "Mamba 1.4B"],
  [64, 2560, "Mamba 2.8B"],
] as const;

/** Mamba: one mixer to a layer, no attention and no MLP. */
export const mamba = family({
  name: "mamba",
  paper: "Mamba (Gu and Dao 2023, arXiv 2312.00752)",
  source: "transformers models/mamba/configuration_mamba.py: MambaConfig",
  class: "MambaForCausalLM",
  says: {
    ...shared,
    vocab: 50280,
    "ssm.kind": "mamba",
    "ssm.state": sourced(16, paper),
    "ssm.conv": sourced(4, paper),
    "ssm.expand": sourced(2, paper),
    "ssm.dt_rank": of(["d_model"], "d_model / 16, rounded up", (d) => Math.ceil(d / 16), `${paper}.3`),
  },
  varies: ["bias"],
  among: { ...among, "ssm.kind": ["mamba"] },
  before: [embedding("embeddings")],
  layers: [layer("mamba", "layers", norm("norm", "rms"), mixer({ bias: "bias" }))],
  after: [...normTensors("norm_f", "rms"), head()],
  build: {
    model: "MambaForCausalLM",
    config: "MambaConfig",
    lacks: ["sdpa", "flash"],
    keys: { ...keys, expand: ({ ssm }) => Math.round(ssm?.expand ?? 2), time_step_rank: "ssm.dt_rank" },
  },
  ladder,
});

/** Mamba-2. */
export const mamba2 = family({
  name: "mamba2",
  paper: "Mamba-2 (Dao and Gu 2024, arXiv 2405.21060)",
  source: "transformers models/mamba2/configuration_mamba2.py: Mamba2Config",
  class: "Mamba2ForCausalLM",
  says: {
    ...shared,
    vocab: sourced(50288, "state-spaces/mamba2-130m, config.json: 50277 padded to a multiple of 16"),
    "ssm.kind": "mamba2",
    "ssm.state": sourced(128, paper2),
    "ssm.groups": sourced(1, paper2),
    "ssm.head_dim": sourced(64, paper2),
    "ssm.heads": of(
      ["ssm.expand", "d_model", "ssm.head_dim"],
      "ssm.expand * d_model / ssm.head_dim",
      (expand, d, width) => (expand * d) / width,
      paper2,
    ),
    "ssm.conv": sourced(4, paper2),
    "ssm.expand": sourced(2, paper2),
  },
  varies: ["bias"],
  among: { ...among, "ssm.kind": ["mamba2"] },
  before: [embedding("embeddings")],
  layers: [layer("mamba", "layers", norm("norm", "rms"), mixer2({ bias: "bias" }))],
  after: [...normTensors("norm_f", "rms"), head()],
  build: {
    model: "Mamba2ForCausalLM",
    config: "Mamba2Config",
    lacks: ["sdpa", "flash"],
    keys: {
      ...keys,
      expand: ({ ssm }) => Math.round(ssm?.expand ?? 2),
      num_heads: "ssm.heads",
      head_dim: "ssm.head_dim",
      n_groups: "ssm.groups",
    },
  },
  ladder,
});
