/** What Transformer Engine's attention refuses at the first step, mostly where context-parallel ranks share a sequence. */
import type { Arguments } from "../launch.ts";
import { rulesOf, type Step } from "../step.ts";

const shared = rulesOf(
  "transformer_engine/pytorch/attention/dot_product_attention/context_parallel.py: attn_forward_func_with_cp",
);
const exchanged = rulesOf(
  "transformer_engine/pytorch/attention/dot_product_attention/context_parallel.py: AttnFuncWithCPAndQKVOA2A.forward",
);
const backends = rulesOf(
  "transformer_engine/pytorch/attention/dot_product_attention/utils.py: get_attention_backend",
);

/** Its attention is in the model. */
function attends(a: Arguments): boolean {
  const isUsual = a.experimental_attention_variant === null && a.transformer_impl === "transformer_engine";
  return isUsual && (a.hybrid_layer_pattern === null || a.hybrid_layer_pattern.includes("*"));
}

/** And ranks share sequences. */
function isShared(a: Arguments): boolean {
  return a.context_parallel_size > 1 && attends(a);
}

/** Layer by layer: Megatron counts layers from 1, and every `window_attn_skip_freq`-th sees the whole sequence. */
function isWindowed({ window_size: window, window_attn_skip_freq: skip }: Arguments, at: number): boolean {
  if (window === null || (window[0] === -1 && (window[1] ?? 0) < 1)) return false;
  if (skip === null) return true;
  return typeof skip === "number" ? (at + 1) % skip !== 0 : skip[at] === 1;
}

function wayOf({ cp_comm_type: ways }: Arguments, at: number): string {
  return (ways.length === 1 ? ways[0] : ways[at]) ?? "p2p";
}

const takesWindows: ReadonlySet<string> = new Set(["a2a", "all_gather"]);

export const contextAttention: readonly Step[] = [
  shared.demand("context-window", {
    about: ["cp_comm_type", "window_size", "context_parallel_size"],
    check: (a) => {
      if (!isShared(a)) return null;
      const layers = Array.from({ length: a.num_layers ?? 1 }, (_, at) => at);
      const at = layers.find((one) => isWindowed(a, one) && !takesWindows.has(wayOf(a, one)));
      return at === undefined
        ? null
        : `--window-size with context parallelism cannot be combined with --cp-comm-type ${wayOf(a, at)}`;
    },
    valid: () => [...takesWindows],
    why: "Ring attention between ranks does not support a window. Transformer Engine supports one if the ranks exchange heads or gather the keys and values, and otherwise stops at the first step.",
    fix: "Write --cp-comm-type a2a if --context-parallel-size divides the heads and the query groups of a tensor-parallel rank, and all_gather if it does not. Or set --context-parallel-size 1.",
    fires: "--context-parallel-size 2 --window-size 127,0 --cp-comm-type p2p",
    silent: "--context-parallel-size 2 --window-size 127,0 --cp-comm-type all_gather",
  }),
  shared.demand("context-softmax", {
    about: ["cp_comm_type", "softmax_type", "context_parallel_size"],
    check: (a) => {
      if (!isShared(a) || a.softmax_type === "vanilla") return null;
      const way = a.cp_comm_type.find((one) => one !== "a2a");
      return way === undefined
        ? null
        : `--softmax-type ${a.softmax_type} with context parallelism cannot be combined with --cp-comm-type ${way}`;
    },
    valid: () => ["a2a"],
    why: "A softmax with an extra term needs the whole sequence of a head. Only ranks that exchange heads have it; otherwise Transformer Engine stops at the first step.",
    fix: "Write --cp-comm-type a2a if --context-parallel-size divides the heads and the query groups of a tensor-parallel rank, or set --context-parallel-size 1.",
    fires: "--context-parallel-size 2 --softmax-type learnable --cp-comm-type p2p",
    silent: "--context-parallel-size 2 --softmax-type learnable --cp-comm-type a2a",
  }),
  backends.ban("softmax-flash", {
    about: ["attention_backend", "softmax_type"],
    when: (a) => attends(a) && a.softmax_type !== "vanilla" && a.attention_backend === "flash",
    says: "--attention-backend flash has only --softmax-type vanilla",
    why: "FlashAttention supports no other softmax. Transformer Engine rules it out, and no other backend is left at the first step.",
    fix: "Write --attention-backend fused or auto, or --softmax-type vanilla.",
    fires: "--softmax-type off-by-one --attention-backend flash",
    silent: "--softmax-type off-by-one --attention-backend fused",
  }),
  exchanged.demand("context-heads", {
    about: ["cp_comm_type", "context_parallel_size", "num_attention_heads", "num_query_groups"],
    check: (a) => {
      const ranks = a.context_parallel_size;
      if (!isShared(a) || !a.cp_comm_type.includes("a2a") || a.num_attention_heads === null) return null;
      const heads = a.num_attention_heads / a.tensor_model_parallel_size;
      const isGrouped = a.group_query_attention && !a.multi_latent_attention;
      const groups = isGrouped ? Math.max(1, (a.num_query_groups ?? 1) / a.tensor_model_parallel_size) : heads;
      if (!Number.isInteger(heads) || !Number.isInteger(groups)) return null;
      if (heads % ranks !== 0)
        return `${heads} heads of a rank cannot be divided evenly among ${ranks} context-parallel ranks`;
      return groups % ranks === 0
        ? null
        : `${groups} query groups of a rank cannot be divided evenly among ${ranks} context-parallel ranks`;
    },
    why: "With --cp-comm-type a2a each context-parallel rank takes some of the heads with their keys and values, and the whole sequence. If the heads do not divide evenly the run stops at the first step.",
    fix: "Choose --context-parallel-size so that it divides the heads and the query groups of a tensor-parallel rank, or write --cp-comm-type all_gather.",
    fires: "--context-parallel-size 2 --cp-comm-type a2a --group-query-attention --num-query-groups 1",
    silent: "--context-parallel-size 2 --cp-comm-type a2a --group-query-attention --num-query-groups 2",
  }),
  backends.ban("context-unfused", {
    about: ["attention_backend", "context_parallel_size"],
    when: (a) => isShared(a) && a.attention_backend === "unfused",
    says: "--attention-backend unfused has no context parallelism",
    why: "The unfused attention sees only the part of a sequence on its own rank. Transformer Engine disables it when ranks share sequences, and no other backend is left at the first step.",
    fix: "Write --attention-backend flash, fused or auto, or --context-parallel-size 1.",
    fires: "--context-parallel-size 2 --attention-backend unfused",
    silent: "--context-parallel-size 2 --attention-backend flash",
  }),
];
