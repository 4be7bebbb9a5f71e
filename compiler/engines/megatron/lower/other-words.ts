/** Arguments that say one thing in several ways: whoever says it in the engine's words says all of it. */
const groups: readonly (readonly string[])[] = [
  [
    ...["data_path", "train_data_path", "valid_data_path", "test_data_path"],
    ...["data_args_path", "per_split_data_args_path", "mock_data", "split"],
  ],
  [
    ...["tokenizer_type", "tokenizer_model", "vocab_file", "merge_file", "tiktoken_pattern", "vocab_size"],
    ...["padded_vocab_size", "make_vocab_size_divisible_by"],
  ],
  ["train_iters", "train_samples"],
  ["global_batch_size", "step_batch_size_schedule"],
  ["lr_decay_iters", "lr_decay_samples"],
  ["lr_warmup_iters", "lr_warmup_samples", "lr_warmup_fraction"],
  ["lr_wsd_decay_iters", "lr_wsd_decay_samples"],
  [
    ...["num_virtual_stages_per_pipeline_rank", "num_layers_per_virtual_pipeline_stage"],
    "pipeline_model_parallel_layout",
  ],
];

/** How stages of a pipeline differ: a layout of all stages says that as well. */
const cuts: readonly string[] = [
  ...["decoder_first_pipeline_num_layers", "decoder_last_pipeline_num_layers"],
  ...["account_for_embedding_in_pipeline_split", "account_for_loss_in_pipeline_split"],
];

/** What says how one of its group is cut, and nothing where it has none. */
const parts: ReadonlySet<string> = new Set(["split"]);

/** What is left out beside arguments that say the same in other words; not what they name themselves. */
export function saidOtherwise(given: ReadonlySet<string>): ReadonlySet<string> {
  const said = groups.filter((group) => group.some((dest) => given.has(dest) && !parts.has(dest)));
  const isCut = [...cuts, "pipeline_model_parallel_layout"].some((dest) => given.has(dest));
  return new Set([...said.flat(), ...(isCut ? cuts : [])].filter((dest) => !given.has(dest)));
}

export function hasOtherWords(dest: string): boolean {
  return groups.some((group) => group.includes(dest));
}

/** Of several that say one thing, the one that stands first in its group. */
export function onePerGroup(dests: readonly string[]): readonly string[] {
  return dests.filter((dest) => {
    const group = groups.find((one) => one.includes(dest));
    return group === undefined || group.find((one) => dests.includes(one)) === dest;
  });
}
