/** Conversations of `--sft` come packed, which some attentions cannot read: noticed at the first batch. */
import type { Arguments } from "../launch.ts";
import { rulesOf, type Step } from "../step.ts";

const plain = rulesOf("megatron/core/transformer/dot_product_attention.py: DotProductAttention.forward");
const delta = rulesOf("megatron/core/ssm/gated_delta_net/gdn.py: GatedDeltaNet.forward");

const isPacked = (a: Arguments): boolean => a.sft && !a.mock_data;

const hasDeltaNets = (a: Arguments): boolean =>
  ["gdn", "gated_delta_net"].includes(a.experimental_attention_variant ?? "") ||
  (a.hybrid_layer_pattern ?? "").includes("G");

const chats =
  "--sft --tokenizer-type SFTTokenizer --tokenizer-model m --data-path chats.jsonl --no-create-attention-mask-in-dataloader";

export const packed: readonly Step[] = [
  plain.ban("packed-local", {
    about: ["transformer_impl", "sft"],
    when: (a) => isPacked(a) && a.transformer_impl === "local",
    says: "--sft packs conversations, which the attention of the local transformer cannot read",
    why: "Only the attention of Transformer Engine keeps packed sequences apart. The local one asserts that there are none, at the first batch.",
    fix: "Write --transformer-impl transformer_engine.",
    severity: "warning",
    base: "unmocked",
    fires: `${chats} --transformer-impl local`,
    silent: chats,
  }),
  delta.ban("packed-deterministic", {
    about: ["deterministic_mode", "sft", "experimental_attention_variant", "hybrid_layer_pattern"],
    when: (a) => isPacked(a) && a.deterministic_mode && hasDeltaNets(a),
    says: "--sft packs conversations, and gated delta nets cannot read those with --deterministic-mode",
    why: "The deterministic form of the gated delta rule is computed in PyTorch for whole sequences only; it asserts that none is packed, at the first batch.",
    fix: "Leave --deterministic-mode out.",
    severity: "warning",
    base: "unmocked",
    fires: `${chats} --deterministic-mode --experimental-attention-variant gated_delta_net`,
    silent: `${chats} --experimental-attention-variant gated_delta_net`,
  }),
];
