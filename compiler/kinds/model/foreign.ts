/** What other tools call the properties of a model. */
import type { BlockKind } from "../../../dsl/kind.ts";

type Foreign = NonNullable<BlockKind["foreign"]>;
type Names = Readonly<Record<string, readonly string[]>>;

/** Foreign names by ours; `form` is what to write for a property and the value that was written. */
export const renamed = (names: Names, form: (here: string, value: string) => string): Foreign =>
  Object.fromEntries(
    Object.entries(names).flatMap(([here, there]) =>
      there.map((name) => [
        name,
        { instead: `write \`${form(here, "…")}\``, rewrite: (value: string) => form(here, value) },
      ]),
    ),
  );

const properties: Names = {
  layers: ["n_layer", "n_layers", "num_layers", "num_hidden_layers"],
  d_model: ["n_embd", "hidden_size", "dim"],
  heads: ["n_head", "n_heads", "num_heads", "num_attention_heads"],
  kv_heads: ["n_kv_heads", "num_key_value_heads", "num_query_groups"],
  head_dim: ["kv_channels"],
  d_ff: ["n_inner", "intermediate_size", "ffn_hidden_size", "ffn_dim"],
  vocab: ["vocab_size"],
  activation: ["hidden_act", "activation_function"],
  norm_eps: ["rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon"],
  init_std: ["initializer_range"],
  tied: ["tie_word_embeddings"],
};
const lengths: Names = {
  context: ["max_position_embeddings", "seq_length", "seq_len", "max_seq_len", "n_ctx", "n_positions", "block_size"],
  window: ["sliding_window"],
};
const ofExperts: Names = {
  experts: ["experts", "n_experts", "num_experts", "num_local_experts", "n_routed_experts", "num_moe_experts"],
  top_k: ["top_k", "num_experts_per_tok", "moe_router_topk"],
};

export const foreign: Foreign = {
  ...renamed(properties, (here, value) => `${here} = ${value}`),
  ...renamed(lengths, (here, value) => `${here} = ${value} tokens`),
  ...renamed(ofExperts, (here, value) => `moe { ${here} = ${value} }`),
  ...renamed({ family: ["model_type", "type"] }, (here, value) => `${here} = ${value.replaceAll('"', "")}`),
};
