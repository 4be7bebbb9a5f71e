/** Where Megatron's arguments stand in the configuration of Megatron Bridge, where a field of the same name does not say it. */

import { readHybridPattern } from "../hybrid-pattern.ts";

/** A value of Python that has a path: `call` makes it, else it is what stands there. */
export interface Reference {
  readonly _target_: string;
  readonly _call_?: false;
  readonly _args_?: readonly unknown[];
}

export const at = (path: string): Reference => ({ _target_: path, _call_: false });

export type Values = ReadonlyMap<string, unknown>;

/** Fields, as `section.field`, with their values. */
export type Placed = readonly (readonly [path: string, value: unknown])[];

type Place = (value: unknown, all: Values) => Placed;

const to =
  (...paths: readonly string[]): Place =>
  (value) =>
    paths.map((path) => [path, value]);

const opposite =
  (...paths: readonly string[]): Place =>
  (value) =>
    paths.map((path) => [path, value !== true]);

/** A list of one is its item: a list means one of several. */
const single =
  (path: string): Place =>
  (value) => [[path, Array.isArray(value) && value.length === 1 ? (value as readonly unknown[])[0] : value]];

const nowhere: Place = () => [];

const splits = ["train_data_path", "valid_data_path", "test_data_path"] as const;

/** A place of the same name in each section that has one, for all that is not here. */
export const places: Readonly<Record<string, Place>> = {
  // Said by the number of groups, by the class of the model, by its own stack of layers, and by the sequence.
  group_query_attention: nowhere,
  mock_data: nowhere,
  spec: nowhere,
  max_position_embeddings: nowhere,
  swiglu: (value, all) =>
    value === true
      ? [
          ["model.gated_linear_unit", true],
          ["model.activation_func", at("torch.nn.functional.silu")],
          ["model.bias_activation_fusion", all.get("bias_swiglu_fusion") ?? true],
        ]
      : [],
  bias_swiglu_fusion: nowhere,
  squared_relu: (value) =>
    value === true
      ? [
          ["model.activation_func", at("megatron.core.activations.squared_relu")],
          ["model.bias_activation_fusion", false],
        ]
      : [],
  bias_gelu_fusion: (value, all) =>
    all.get("swiglu") === true || all.get("squared_relu") === true
      ? []
      : [
          ["model.activation_func", at("torch.nn.functional.gelu")],
          ["model.bias_activation_fusion", value],
        ],
  untie_embeddings_and_output_weights: opposite("model.share_embeddings_and_output_weights"),
  window_size: (value) => [
    ["model.window_size", { _target_: "builtins.tuple", _args_: [value] } satisfies Reference],
  ],
  attention_backend: (value) => [
    ["model.attention_backend", at(`megatron.core.transformer.enums.AttnBackend.${String(value)}`)],
  ],
  hybrid_layer_pattern: (value) => [
    // Its own Megatron is older than the marks between stages.
    ["model.hybrid_override_pattern", String(value).replaceAll("|", "")],
    ["model.num_layers", readHybridPattern(String(value)).layers],
  ],
  num_experts: to("model.num_moe_experts"),
  moe_router_load_balancing_type: single("model.moe_router_load_balancing_type"),
  moe_aux_loss_coeff: single("model.moe_aux_loss_coeff"),
  cp_comm_type: single("model.cp_comm_type"),
  num_virtual_stages_per_pipeline_rank: to("model.virtual_pipeline_model_parallel_size"),
  decoder_first_pipeline_num_layers: to("model.num_layers_in_first_pipeline_stage"),
  decoder_last_pipeline_num_layers: to("model.num_layers_in_last_pipeline_stage"),
  vocab_size: (value) => [
    ["model.vocab_size", value],
    ["model.should_pad_vocab", true],
    ["tokenizer.vocab_size", value],
  ],
  seq_length: to("model.seq_length", "dataset.sequence_length"),
  seed: to("rng.seed", "dataset.random_seed"),
  accumulate_allreduce_grads_in_fp32: to("ddp.grad_reduce_in_fp32", "mixed_precision.grad_reduce_in_fp32"),
  train_data_path: (_, all) => [["dataset.blend_per_split", splits.map((split) => blendOf(all.get(split)))]],
  valid_data_path: nowhere,
  test_data_path: nowhere,
  data_path: (value) => [["dataset.blend", blendOf(value)]],
  data_cache_path: to("dataset.path_to_cache"),
  create_attention_mask_in_dataloader: (value) => [
    ["dataset.create_attention_mask", value],
    ["dataset.skip_getting_attention_mask_from_dataset", value !== true],
  ],
  check_for_nan_in_loss_and_grad: to("ddp.check_for_nan_in_grad"),
  no_persist_layer_norm: opposite("model.persist_layer_norm"),
  no_load_optim: opposite("checkpoint.load_optim"),
  no_load_rng: opposite("checkpoint.load_rng"),
  no_save_optim: opposite("checkpoint.save_optim"),
  no_save_rng: opposite("checkpoint.save_rng"),
};

/** `PREFIX`, or weights and prefixes in turn, as the data sets take them: prefixes, and their weights or none. */
function blendOf(words: unknown): readonly [readonly string[], readonly number[] | null] | null {
  if (!Array.isArray(words)) return null;
  const items = words.map(String);
  const isWeighted = items.length > 1 && items.every((item, at) => at % 2 === 1 || Number.isFinite(Number(item)));
  if (!isWeighted) return [items, null];
  return [items.filter((_, at) => at % 2 === 1), items.filter((_, at) => at % 2 === 0).map(Number)];
}
